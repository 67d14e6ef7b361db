// The Markdown files, diagrams and tables that become pages, and where a link in one of them leads.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, posix } from 'node:path';
import { tablePage } from './tables.mjs';

/** Path of the site on the web server. */
export const BASE = '/docs/guide';

const PAGES = [
  'docs/**/*.md',
  'docs/diagrams/*.mmd',
  'docs/*.tsv',
  '*.md',
  'packages/*/README.md',
  'examples/*/README.md',
  'deploy/helm/*/README.md',
];
/** Pages that are kept as they were written: the search would find what no longer holds. */
const NOT_SEARCHED = /^docs\/decisions\/\d|^CHANGELOG\.md$/;

/**
 * Address of a page: `docs/cli.md` is at `/docs/guide/cli`, `docs/settings.tsv` at `/docs/guide/settings-table`, and
 * `packages/svc/README.md` at `/docs/guide/source/packages/svc/`.
 */
function addressOf(file) {
  const name = file
    .replace(/\.(md|mmd)$/, '')
    .replace(/\.tsv$/, '-table')
    .replace(/(^|\/)README$/, '$1');
  return `${BASE}/${name.startsWith('docs/') ? name.slice('docs/'.length) : `source/${name}`}`;
}

/** File of a page in the site: `cli.html` for `/docs/guide/cli`, `decisions/index.html` for `/docs/guide/decisions/`. */
export function outputOf({ address }) {
  const path = address.slice(BASE.length + 1);
  return `${path === '' || path.endsWith('/') ? `${path}index` : path}.html`;
}

/**
 * @param {string} root the project's folder
 * @returns {{ file: string, address: string, isSearched: boolean, text: string }[]}
 */
export function readSources(root) {
  return globSync(PAGES, { cwd: root })
    .sort()
    .map((file) => ({
      file,
      address: addressOf(file),
      isSearched: !NOT_SEARCHED.test(file),
      text: markdownOf(file, readFileSync(join(root, file), 'utf8')),
    }));
}

function markdownOf(file, text) {
  if (file.endsWith('.tsv')) return tablePage(basename(file), text);
  return file.endsWith('.mmd') ? diagramPage(text) : text;
}

/** The page of a diagram of Mermaid: its front matter has only its title. */
function diagramPage(text) {
  const [, title, code] = /^---\ntitle: (.+)\n---\n([^]*)$/.exec(text);
  return `# ${title}\n\n\`\`\`mermaid\n${code}\`\`\`\n`;
}

/**
 * The address of this server as a link from a page has it: the site is also served below a path that a proxy puts before it.
 *
 * @param {string} from address of the page
 * @param {string} to address with its anchor, which may follow a slash
 */
export function relativeAddress(from, to) {
  const [path, anchor] = to.split('#');
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const way = posix.relative(from.slice(0, from.lastIndexOf('/')), folder);
  const rest = path.slice(folder.length) + (anchor === undefined ? '' : `#${anchor}`);
  return `${way === '' ? './' : `${way}/`}${rest}`;
}

/**
 * The target of a link: to a page, to an image, outside, or to a file of the source code, which the site does not
 * have.
 *
 * @param {ReadonlyMap<string, { address: string }>} pages by their file
 * @param {string} from file of the page with the link
 * @param {string} target as it is written there
 */
export function resolveLink(pages, root, from, target) {
  if (/^[a-z]+:/.test(target)) return { kind: 'outside', href: target };
  const [path, anchor] = target.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return { kind: 'page', href: hash };
  const file = normalize(join(dirname(from), path)).replace(/\/$/, '');
  const page = pages.get(file) ?? pages.get(`${file}/README.md`);
  if (page) return { kind: 'page', href: `${page.address}${hash}` };
  if (/\.(png|svg)$/.test(file) && existsSync(join(root, file))) return { kind: 'image', file };
  return { kind: 'source', file };
}
