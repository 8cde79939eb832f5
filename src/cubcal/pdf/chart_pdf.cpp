#include "cubcal/pdf/chart_pdf.h"

#include "cubcal/pdf/page_drawing.h"
#include "cubcal/pdf/pdf_file.h"
#include "cubcal/version.h"

namespace cubcal::pdf {

namespace {

/// Which characters the glyphs are, so that text can be searched and copied.
std::string unicode_map(const PageDrawing::UsedFont& used) {
  std::string map =
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
      "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
      "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n";
  for (const auto& [glyph, character] : used.glyphs) {
    const bool is_plain = glyph != 0 && character < 0x10000;
    map += "1 beginbfchar\n<" + hex4(glyph) + "> <" + hex4(is_plain ? character : 0xFFFD) +
           ">\nendbfchar\n";
  }
  return map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n";
}

std::string widths(const PageDrawing::UsedFont& used) {
  std::string list;
  for (const auto& [glyph, character] : used.glyphs) {
    list += std::to_string(glyph) + " [" + pdf_number(used.font->advance(glyph)) + "] ";
  }
  return "[" + list + "]";
}

std::size_t add_font(PdfFile& file, const PageDrawing::UsedFont& used) {
  constexpr const char* kOrdering =
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>";
  const Font& font = *used.font;
  const std::string name(font.name());
  const std::size_t program =
      file.add_stream(font.bytes(), " /Length1 " + std::to_string(font.bytes().size()));
  std::string box;
  for (const int edge : font.box()) box += std::to_string(edge) + " ";
  const std::size_t descriptor =
      file.add("<< /Type /FontDescriptor /FontName /" + name + " /Flags 4 /FontBBox [" + box +
               "] /ItalicAngle 0 /Ascent " + std::to_string(font.ascent()) + " /Descent " +
               std::to_string(font.descent()) + " /CapHeight 729 /StemV " +
               std::to_string(font.stem_width()) + " /FontFile2 " + reference(program) + " >>");
  const std::size_t descendant =
      file.add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /" + name + " " + kOrdering +
               " /FontDescriptor " + reference(descriptor) + " /CIDToGIDMap /Identity /W " +
               widths(used) + " >>");
  const std::size_t map = file.add_stream(unicode_map(used));
  return file.add("<< /Type /Font /Subtype /Type0 /BaseFont /" + name +
                  " /Encoding /Identity-H /DescendantFonts [" + reference(descendant) +
                  "] /ToUnicode " + reference(map) + " >>");
}

std::string resources(PdfFile& file, const PageDrawing& drawing) {
  std::string fonts;
  for (std::size_t i = 0; i < drawing.fonts.size(); ++i) {
    fonts += "/F" + std::to_string(i) + " " + reference(add_font(file, drawing.fonts[i])) + " ";
  }
  std::string states;
  for (std::size_t i = 0; i < drawing.opacities.size(); ++i) {
    const auto& [lines, areas] = drawing.opacities[i];
    states += "/G" + std::to_string(i) + " << /CA " + pdf_number(lines) + " /ca " +
              pdf_number(areas) + " >> ";
  }
  return "<< /Font << " + fonts + ">> /ExtGState << " + states + ">> >>";
}

std::string title_of(const SvgElement& svg) {
  for (const SvgNode& node : svg.children) {
    const auto* element = std::get_if<SvgElement>(&node);
    if (!element || element->name != "title" || element->children.empty()) continue;
    if (const auto* text = std::get_if<std::string>(&element->children.front())) return *text;
  }
  return "Chart";
}

}  // namespace

ChartPdf chart_pdf(const std::string& paper_svg) {
  const SvgElement svg = parse_svg(paper_svg);
  const double height = svg.number("height");
  const PageDrawing drawing = page_drawing(svg, height);
  PdfFile file;
  const std::size_t pages = file.reserve();
  const std::size_t contents = file.add_stream(drawing.operators);
  const std::size_t page =
      file.add("<< /Type /Page /Parent " + reference(pages) + " /MediaBox [0 0 " +
               pdf_number(kPointsPerPixel * svg.number("width")) + " " +
               pdf_number(kPointsPerPixel * height) + "] /Contents " + reference(contents) +
               " /Group << /S /Transparency /CS /DeviceRGB >> /Resources " +
               resources(file, drawing) + " >>");
  file.write(pages, "<< /Type /Pages /Count 1 /Kids [" + reference(page) + "] >>");
  const std::size_t catalogue =
      file.add("<< /Type /Catalog /Pages " + reference(pages) + " /Lang (en) >>");
  const std::size_t information = file.add("<< /Title " + pdf_text(title_of(svg)) + " /Producer " +
                                           pdf_text(std::string("cubcal ") + kVersion) + " >>");
  return {file.finished(catalogue, information), drawing.missing};
}

}  // namespace cubcal::pdf
