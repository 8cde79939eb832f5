'use strict';
(() => {
  const at = (id) => document.getElementById(id);
  const make = (name, text, css) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (css) element.className = css;
    return element;
  };
  const draw = (name, values, text) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const percent = (share) => (100 * share).toFixed(1) + '%';
  const history = [];
  const curves = new Map();
  let models = [];

  // ---- appearance
  const dark = () => document.documentElement.dataset.theme === 'dark';
  const setTheme = (isDark) => {
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    at('theme').textContent = isDark ? 'Light' : 'Dark';
    at('theme').setAttribute('aria-pressed', String(isDark));
  };
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches);
  at('theme').addEventListener('click', () => setTheme(!dark()));

  // ---- talking to the server
  const tell = (text) => { at('status').textContent = text; };
  const complain = (text) => {
    at('problem').textContent = text;
    at('problem').hidden = text === '';
  };
  const ask = async (address, options = {}) => {
    const token = at('token').value;
    const headers = token ? { Authorization: 'Bearer ' + token } : {};
    const response = await fetch(address, { ...options, headers, cache: 'no-store' });
    const json = await response.json();
    if (response.status === 401) {
      at('token-field').hidden = false;
      throw new Error('This server asks for a token: type it above.');
    }
    if (!response.ok && !json.unreadable) throw new Error(json.error || 'The server answered ' + response.status + '.');
    return json;
  };
  const loadModels = async () => {
    try {
      const answer = await ask('/v1/models');
      models = answer.models;
      at('program').textContent = answer.program;
    } catch (error) {
      complain(error.message);
      return;
    }
    complain('');
    at('model').replaceChildren(...models.map((each) => make('option', each.name)));
    showFacts();
  };
  const model = () => models.find((each) => each.name === at('model').value);
  const showFacts = () => {
    const one = model();
    if (!one) return;
    at('facts').textContent = `${one.network} on ${one.data || 'unknown data'}, version ${one.version}, classes ` +
      `${one.classes.join(', ')}; ${one.policy.passes} passes; ` +
      (one.calibration ? 'calibrated with ' + one.calibration : 'not calibrated') + '; ' +
      (one.policy.detector ? 'out of scope by ' + one.policy.detector : 'no detector of foreign images') + '.';
  };
  const curvesOf = async (name) => {
    if (!curves.has(name)) curves.set(name, await ask(`/v1/models/${encodeURIComponent(name)}/boundary`));
    return curves.get(name);
  };

  // ---- an answer
  const verdictWords = (one, prediction) => {
    const named = `“${prediction.class}”`;
    if (prediction.verdict === 'accept') return `The answer is ${named}, and the model is sure enough of it: ${prediction.reason}.`;
    if (prediction.verdict === 'refer') return `A person should look: the model leans to ${named} but is not sure enough: ${prediction.reason}.`;
    return `The answer means nothing: the image is ${prediction.reason}.`;
  };
  const showBars = (prediction) => {
    const classes = Object.entries(prediction.probabilities).sort((a, b) => b[1] - a[1]);
    at('bars').tBodies[0].replaceChildren(...classes.map(([name, share]) => {
      const row = make('tr', undefined, name === prediction.class ? 'first' : '');
      const head = make('th', name);
      head.scope = 'row';
      const spread = prediction.spread && prediction.spread[name];
      const bar = make('td');
      const track = make('div', undefined, 'track');
      track.setAttribute('aria-hidden', 'true');
      const fill = make('div', undefined, 'fill');
      fill.style.width = 100 * share + '%';
      track.append(fill);
      if (spread) {
        const whisker = make('div', undefined, 'whisker');
        whisker.style.left = 100 * spread[0] + '%';
        whisker.style.width = 100 * (spread[1] - spread[0]) + '%';
        track.append(whisker);
      }
      bar.append(track);
      row.append(head, make('td', percent(share)), make('td', spread ? `${percent(spread[0])} to ${percent(spread[1])}` : '–'), bar);
      return row;
    }));
  };
  const drawBoundary = (curve, prediction) => {
    const box = { left: 52, right: 322, top: 10, bottom: 220 };
    const least = 1 / curve.classes;
    const most = Math.log(curve.classes);
    const x = (c) => box.left + (c - least) / (1 - least) * (box.right - box.left);
    const y = (u) => box.bottom - u / most * (box.bottom - box.top);
    const line = (us) => us.map((u, i) => x(curve.confidence[i]).toFixed(1) + ',' + y(u).toFixed(1));
    const svg = at('boundary');
    svg.replaceChildren(svg.querySelector('title'));
    svg.append(draw('polygon', { class: 'possible', points: [...line(curve.least), ...line(curve.most).reverse()].join(' ') }));
    svg.append(draw('polyline', { class: 'ideal', points: line(curve.ideal).join(' ') }));
    svg.append(draw('line', { class: 'limit', x1: box.left, x2: box.right, y1: y(curve.refer_above), y2: y(curve.refer_above) }));
    svg.append(draw('line', { class: 'axis', x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
    svg.append(draw('line', { class: 'axis', x1: box.left, x2: box.left, y1: box.top, y2: box.bottom }));
    for (const c of [least, (1 + least) / 2, 1]) svg.append(draw('text', { x: x(c), y: box.bottom + 15, 'text-anchor': 'middle' }, c.toFixed(2)));
    for (const u of [0, most / 2, most]) svg.append(draw('text', { x: box.left - 5, y: y(u) + 4, 'text-anchor': 'end' }, u.toFixed(2)));
    svg.append(draw('text', { x: (box.left + box.right) / 2, y: box.bottom + 32, 'text-anchor': 'middle' }, 'confidence'));
    svg.append(draw('text', { x: 10, y: (box.top + box.bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 10 ${(box.top + box.bottom) / 2})` }, 'uncertainty (nats)'));
    for (const each of history) {
      if (each.prediction !== prediction && each.model.name === at('model').value) {
        svg.append(draw('circle', { class: 'past', r: 3, cx: x(each.prediction.confidence), cy: y(each.prediction.uncertainty.total) }));
      }
    }
    svg.append(draw('circle', { class: 'now', r: 6, cx: x(prediction.confidence), cy: y(prediction.uncertainty.total) }));
    at('boundary-title').textContent = `Confidence ${prediction.confidence.toFixed(3)}, uncertainty ${prediction.uncertainty.total.toFixed(3)} nats, ` +
      (prediction.uncertainty.total > curve.refer_above ? 'above' : 'at or below') + ` the line of ${curve.refer_above.toFixed(3)} from which answers are referred.`;
  };
  const show = async (entry) => {
    const { prediction } = entry;
    at('answer').hidden = false;
    at('picture').src = prediction.picture || '';
    at('picture').alt = 'The image ' + prediction.image + ' as the model was given it, before it was brought to size';
    at('name').textContent = prediction.image;
    at('badge').textContent = prediction.verdict;
    at('badge').className = prediction.verdict;
    at('words').textContent = verdictWords(entry.model, prediction);
    showBars(prediction);
    const u = prediction.uncertainty;
    at('numbers').textContent = `Confidence ${prediction.confidence.toFixed(4)}; uncertainty ${u.total.toFixed(4)} nats, of it ${u.aleatoric.toFixed(4)} ` +
      `in the image (aleatoric) and ${u.epistemic.toFixed(4)} in the model (epistemic); ` +
      (prediction.ood_p_value === null ? 'no p-value' : 'p ' + prediction.ood_p_value.toFixed(3)) + `; ${prediction.passes} passes.`;
    at('audit').textContent = `${entry.model.name} version ${entry.model.version}, weights ${entry.model.weights_hash}, ${entry.program}, seed ${entry.seed}, ${entry.time}` +
      (prediction.dicom ? `, SOP ${prediction.dicom.sop_instance_uid}, study ${prediction.dicom.study_instance_uid}` : '') + '.';
    try {
      drawBoundary(await curvesOf(entry.model.name), prediction);
    } catch (error) {
      complain(error.message);
    }
  };
  const remember = (entry) => {
    history.push(entry);
    const { prediction } = entry;
    const row = make('tr');
    const again = make('button', prediction.image);
    again.type = 'button';
    again.addEventListener('click', async () => { await show(entry); at('answer').focus(); });
    const first = make('td');
    first.append(again);
    row.append(first, make('td', prediction.class), make('td', prediction.confidence.toFixed(4)), make('td', prediction.uncertainty.total.toFixed(4)),
      make('td', prediction.ood_p_value === null ? '–' : prediction.ood_p_value.toFixed(3)), make('td', prediction.verdict, prediction.verdict), make('td', entry.time));
    at('history').tBodies[0].prepend(row);
    at('csv').disabled = at('clear').disabled = false;
  };

  // ---- files
  const send = async (files) => {
    const list = [...files];
    if (list.length === 0 || !model()) return;
    complain('');
    const problems = [];
    let last = null;
    for (const [i, file] of list.entries()) {
      tell(`Asking about ${file.name} (${i + 1} of ${list.length}) …`);
      try {
        const answer = await ask(`/v1/predict?picture=true&model=${encodeURIComponent(at('model').value)}&name=${encodeURIComponent(file.name)}`, { method: 'POST', body: file });
        for (const each of answer.unreadable) problems.push(each.reason + '.');
        for (const prediction of answer.predictions) {
          last = { prediction, model: answer.model, program: answer.program, seed: answer.seed, time: answer.time };
          remember(last);
        }
      } catch (error) {
        problems.push(file.name + ': ' + error.message);
      }
    }
    complain(problems.join('\n'));
    if (last) await show(last);
    tell(last ? `${last.prediction.image}: ${last.prediction.class}, ${last.prediction.verdict}. ${list.length - problems.length} of ${list.length} answered.` : 'No answer.');
    at('files').value = '';
  };
  at('files').addEventListener('change', () => send(at('files').files));
  for (const name of ['dragenter', 'dragover']) at('drop').addEventListener(name, (event) => { event.preventDefault(); at('drop').classList.add('over'); });
  for (const name of ['dragleave', 'drop']) at('drop').addEventListener(name, (event) => { event.preventDefault(); at('drop').classList.remove('over'); });
  at('drop').addEventListener('drop', (event) => send(event.dataTransfer.files));
  at('model').addEventListener('change', showFacts);
  at('token').addEventListener('change', loadModels);

  // ---- CSV: a text that a spreadsheet would take for a formula gets a quote before it
  const cell = (value) => {
    let text = String(value);
    if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  };
  const csvText = () => {
    const rows = [['time', 'image', 'class', 'confidence', 'total', 'aleatoric', 'epistemic', 'ood_p', 'verdict', 'passes', 'model', 'version', 'weights_hash', 'program', 'seed', 'sop_instance_uid', 'study_instance_uid']];
    for (const { prediction: p, model: m, ...rest } of history) {
      rows.push([rest.time, p.image, p.class, p.confidence, p.uncertainty.total, p.uncertainty.aleatoric, p.uncertainty.epistemic, p.ood_p_value ?? '', p.verdict, p.passes,
        m.name, m.version, m.weights_hash, rest.program, rest.seed, p.dicom?.sop_instance_uid ?? '', p.dicom?.study_instance_uid ?? '']);
    }
    return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
  };
  at('csv').addEventListener('click', () => {
    const link = make('a');
    link.href = URL.createObjectURL(new Blob([csvText()], { type: 'text/csv' }));
    link.download = 'answers.csv';
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
  at('clear').addEventListener('click', () => {
    history.length = 0;
    at('history').tBodies[0].replaceChildren();
    at('csv').disabled = at('clear').disabled = true;
    at('answer').hidden = true;
    tell('Forgotten.');
  });
  loadModels();
})();
