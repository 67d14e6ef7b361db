// Renders Markdown as GitHub does: the same anchors, tables and diagrams.
import { renderMermaidSVG } from 'beautiful-mermaid';
import MarkdownIt from 'markdown-it';

/** The attributes refer to variables of the style sheet, so that a diagram follows the theme. */
const DIAGRAM_COLOURS = { bg: 'var(--bg)', fg: 'var(--fg)', transparent: true };

/** The anchor of a heading, as GitHub makes it. `taken` counts the earlier ones of the page. */
function anchorOf(title, taken) {
  const anchor = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const count = taken.get(anchor) ?? 0;
  taken.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** The text of a heading or a paragraph, without its marks. */
function textOf(inline) {
  return (inline.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : type === 'html_inline' ? '' : content))
    .join('');
}

/** Gives each heading its anchor, and collects the sections of the page with their texts, for the search. */
function collectSections(tokens, env) {
  const taken = new Map();
  let section = { level: 0, anchor: '', title: '', text: [] };
  env.sections.push(section);
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = textOf(tokens[index + 1]);
      section = { level: Number(token.tag.slice(1)), anchor: anchorOf(title, taken), title, text: [] };
      token.attrSet('id', section.anchor);
      env.sections.push(section);
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      section.text.push(textOf(token));
    } else if (token.type === 'fence') {
      section.text.push(token.content);
      token.meta = { title: section.title };
    }
  }
}

/**
 * The diagram as an SVG element. Its style sheet goes into that of the site, because the policy of the pages allows no
 * style in a document, and loses its font, which would be loaded from elsewhere.
 */
function diagram(code, title, env, escape) {
  const svg = renderMermaidSVG(code, DIAGRAM_COLOURS).replace(/<style>([^<]*)<\/style>/g, (_, css) => {
    env.styles.add(css.replace(/@import [^\n]*\n/g, '').replaceAll('svg {', '.diagram svg {'));
    return '';
  });
  const label = escape(`Diagram: ${title}`);
  const prefix = `diagram-${env.diagrams++}-`;
  const plain = svg
    .replace(/ style="[^"]*"/g, '')
    .replace('<svg ', `<svg role="img" aria-label="${label}" `)
    .replaceAll(/( id="|url\(#)/g, `$1${prefix}`);
  return `<div class="diagram" tabindex="0">${plain}</div>`;
}

function createRenderer() {
  const md = new MarkdownIt({ html: true });
  const { rules } = md.renderer;
  rules.fence = (tokens, index, _options, env) => {
    const { info, content, meta } = tokens[index];
    if (info.trim() === 'mermaid') return diagram(content, meta.title, env, md.utils.escapeHtml);
    return `<pre tabindex="0"><code>${md.utils.escapeHtml(content)}</code></pre>\n`;
  };
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  // a comment is for tools and editors
  const html = (tokens, index) => tokens[index].content.replaceAll(/<!--[^>]*-->/g, '');
  rules.html_block = html;
  rules.html_inline = html;
  return md;
}

const renderer = createRenderer();

/**
 * @param {string} text Markdown
 * @returns {{ html: string, title: string, sections: { level: number, anchor: string, title: string, text: string[] }[],
 *   styles: Set<string> }} `styles`: style sheets of its diagrams
 */
export function render(text) {
  const env = { sections: [], styles: new Set(), diagrams: 0 };
  const tokens = renderer.parse(text, env);
  collectSections(tokens, env);
  const html = renderer.renderer.render(tokens, renderer.options, env);
  const title = env.sections.find(({ level }) => level === 1)?.title ?? '';
  return { html, title, sections: env.sections, styles: env.styles };
}
