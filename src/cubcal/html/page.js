'use strict';
(() => {
  const fault = document.getElementById('fault');
  window.addEventListener('error', (event) => {
    fault.hidden = false;
    fault.textContent = 'Part of this page does not work here: ' + event.message;
  });

  // ---- light and dark, opening everything -------------------------------------------------------
  const root = document.documentElement;
  const remember = (theme) => {
    try { localStorage.setItem('cubcal-theme', theme); } catch (refused) { /* a file has no store */ }
  };
  try {
    const theme = localStorage.getItem('cubcal-theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  } catch (refused) { /* likewise */ }
  document.getElementById('theme').addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.theme = (root.dataset.theme || system) === 'dark' ? 'light' : 'dark';
    remember(root.dataset.theme);
  });
  const unfold = document.getElementById('unfold');
  unfold.hidden = !document.querySelector('details');
  unfold.addEventListener('click', () => {
    const all = [...document.querySelectorAll('details')];
    const open = all.some((each) => !each.open);
    for (const each of all) each.open = open;
    unfold.textContent = open ? 'Close all' : 'Open all';
  });
  document.querySelector('.tools').hidden = false;
  // A link into a closed part opens it.
  const openTarget = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let each = target; each; each = each.parentElement) {
      if (each.tagName === 'DETAILS') each.open = true;
    }
    target.scrollIntoView();
  };
  addEventListener('hashchange', openTarget);
  openTarget();

  // ---- values of charts -------------------------------------------------------------------------
  const reading = document.getElementById('reading');
  const numbers = (text) => text.split(' ').map(Number);

  // Path data of the plot module: relative moves m, lines l and dots h0.
  const pathPoints = (data) => {
    const words = data.match(/[a-z]|-?(?:\d+\.?\d*|\.\d+)/g) || [];
    const points = [];
    let x = 0;
    let y = 0;
    for (let i = 0; i < words.length; ++i) {
      if (words[i] !== 'm' && words[i] !== 'l') continue;
      x += Number(words[i + 1]);
      y += Number(words[i + 2]);
      points.push({ x, y });
      i += 2;
    }
    return points;
  };

  const axis = (marks, name, low, high) => {
    const range = marks.getAttribute('data-' + name);
    if (!range) return null;
    const [first, last] = numbers(range);
    const decimals = Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(last - first)))));
    return {
      label: marks.getAttribute('data-' + name + '-name') || name,
      text: (pixel) => {
        const value = first + (pixel - low) / (high - low) * (last - first);
        return String(Number(value.toFixed(decimals)));
      },
    };
  };

  class Reader {
    constructor(svg) {
      this.svg = svg;
      this.marks = svg.querySelector('.cp-marks');
      this.series = [];
      this.cells = [];
      this.at = null;
      if (!this.marks) return;
      const [left, top, right, bottom] = numbers(this.marks.dataset.frame);
      this.frame = { left, top, right, bottom };
      this.x = axis(this.marks, 'x', left, right);
      this.y = axis(this.marks, 'y', bottom, top);
      for (const path of this.marks.querySelectorAll('path[data-line]')) {
        this.series.push({ name: path.dataset.note || '', points: pathPoints(path.getAttribute('d')),
                           joined: true });
      }
      for (const dots of this.marks.querySelectorAll('.cp-dots')) {
        const points = [];
        for (const path of dots.querySelectorAll('path')) {
          const notes = (path.dataset.notes || '').split('\n');
          pathPoints(path.getAttribute('d')).forEach((point, i) => {
            points.push({ ...point, note: notes[i] || '' });
          });
        }
        points.sort((a, b) => a.x - b.x);
        this.series.push({ name: dots.dataset.note || '', points, joined: false });
      }
      for (const rect of this.marks.querySelectorAll('rect[data-note]')) {
        const box = rect.getBBox();
        this.cells.push({ x: box.x + box.width / 2, y: box.y + box.height / 2, box,
                          note: rect.dataset.note });
      }
    }

    text(series, point) {
      const lines = [point.note || series.name];
      if (point.note) lines[0] += ' (' + series.name.replace(/ \(\d+ points\)$/, '') + ')';
      if (this.x) lines.push(this.x.label + ': ' + this.x.text(point.x));
      if (this.y) lines.push(this.y.label + ': ' + this.y.text(point.y));
      return lines.join('\n');
    }

    // The nearest point of any series, within reach.
    nearest(x, y) {
      let best = null;
      let shortest = 18;
      for (const series of this.series) {
        const points = series.points;
        for (let i = 0; i < points.length; ++i) {
          let point = points[i];
          if (series.joined && i + 1 < points.length) {
            const dx = points[i + 1].x - point.x;
            const dy = points[i + 1].y - point.y;
            const length = dx * dx + dy * dy;
            const share = length > 0
              ? Math.min(1, Math.max(0, ((x - point.x) * dx + (y - point.y) * dy) / length)) : 0;
            point = { x: point.x + share * dx, y: point.y + share * dy };
          }
          // A dot goes before the line it lies on.
          const distance = Math.hypot(point.x - x, point.y - y) + (series.joined ? 1.5 : 0);
          if (distance < shortest) {
            shortest = distance;
            best = { series, point };
          }
        }
      }
      return best;
    }

    hover(event) {
      const matrix = this.svg.getScreenCTM();
      if (!matrix || !this.frame) return;
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      const cell = this.cells.find((each) =>
        place.x >= each.box.x && place.x <= each.box.x + each.box.width &&
        place.y >= each.box.y && place.y <= each.box.y + each.box.height);
      const found = this.nearest(place.x, place.y);
      if (found && !(cell && found.series.joined)) this.show(found.point, this.text(found.series, found.point));
      else if (cell) this.show(cell, cell.note);
      else this.hide();
    }

    show(point, text) {
      if (!this.ring) {
        this.ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
        this.ring.setAttribute('class', 'here');
        this.ring.setAttribute('r', '5');
        this.svg.append(this.ring);
      }
      this.ring.setAttribute('cx', point.x);
      this.ring.setAttribute('cy', point.y);
      reading.textContent = text;
      reading.hidden = false;
      const screen = new DOMPoint(point.x, point.y).matrixTransform(this.svg.getScreenCTM());
      const box = reading.getBoundingClientRect();
      const left = Math.min(screen.x + 14, innerWidth - box.width - 6);
      const above = screen.y - box.height - 12;
      reading.style.left = Math.max(6, left) + 'px';
      reading.style.top = (above > 4 ? above : screen.y + 14) + 'px';
    }

    hide() {
      if (this.ring) this.ring.remove();
      this.ring = null;
      reading.hidden = true;
    }

    // Arrow keys: left and right along a series, up and down between series or rows of cells.
    key(event) {
      const lists = this.series.map((series) => ({ series, points: series.points }));
      if (this.cells.length > 0) lists.unshift({ series: null, points: this.cells });
      if (lists.length === 0) return;
      if (event.key === 'Escape') { this.hide(); this.at = null; return; }
      const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 25, PageUp: -25 };
      if (!(event.key in steps) && !['ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key)) return;
      event.preventDefault();
      const at = this.at || { list: 0, point: -1 };
      if (event.key === 'ArrowDown') at.list = (at.list + 1) % lists.length;
      if (event.key === 'ArrowUp') at.list = (at.list + lists.length - 1) % lists.length;
      const points = lists[at.list].points;
      if (event.key in steps) at.point += steps[event.key];
      if (event.key === 'Home') at.point = 0;
      if (event.key === 'End') at.point = points.length - 1;
      at.point = Math.min(points.length - 1, Math.max(0, at.point));
      this.at = at;
      const point = points[at.point];
      const series = lists[at.list].series;
      if (point) this.show(point, series ? this.text(series, point) : point.note);
    }
  }

  for (const svg of document.querySelectorAll('svg.cubcal-plot')) {
    // Titles become labels: a browser would show them over the values.
    for (const title of [...svg.querySelectorAll('title')]) {
      const parent = title.parentElement;
      if (parent === svg) {
        const description = svg.querySelector('desc');
        svg.setAttribute('aria-label', title.textContent + (description ? '. ' + description.textContent : ''));
        svg.removeAttribute('aria-labelledby');
      } else {
        parent.dataset.note = title.textContent;
      }
      title.remove();
    }
    svg.tabIndex = 0;
    let reader = null;
    const ready = () => reader || (reader = new Reader(svg));
    svg.addEventListener('pointermove', (event) => ready().hover(event));
    svg.addEventListener('pointerleave', () => ready().hide());
    svg.addEventListener('keydown', (event) => ready().key(event));
    svg.addEventListener('blur', () => ready().hide());
  }
})();
