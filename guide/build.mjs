// Builds the documentation's site into a folder: node guide/build.mjs FOLDER
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import MiniSearch from 'minisearch';
import { render } from './markdown.mjs';
import { BASE, outputOf, readSources, resolveLink } from './sources.mjs';
import { documentOf } from './template.mjs';

const root = dirname(import.meta.dirname);
const START = 'docs/README.md';
const MINISEARCH = 'node_modules/minisearch/dist/es/index.js';

/** Fields of an entry of the search, with their weights; `guide.js` has the same. */
const SEARCH = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page'] };

/** Writes files whose names have a hash of their content, which browsers keep for ever. */
class Assets {
  addresses = {};

  constructor(folder) {
    this.folder = join(folder, 'assets');
    mkdirSync(this.folder, { recursive: true });
  }

  /** @returns the address of the file */
  add(name, content) {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
    const type = extname(name);
    const file = `${basename(name, type)}-${hash}${type}`;
    writeFileSync(join(this.folder, file), content);
    return (this.addresses[name] = `${BASE}/assets/${file}`);
  }
}

/** Replaces the targets of links and images. A file of the source code becomes a text, because the site does not have it. */
function withLinks(page, pages, assets) {
  const target = (written) => resolveLink(pages, root, page.file, written.replaceAll('&amp;', '&'));
  return page.html
    .replaceAll(/<img src="([^"]+)"/g, (_, src) => {
      const { file } = target(src);
      return `<img loading="lazy" src="${assets.addresses[file] ?? assets.add(file, readFileSync(join(root, file)))}"`;
    })
    .replaceAll(/<a href="([^"]+)">([^]*?)<\/a>/g, (_, href, text) => {
      const { kind, file, href: address } = target(href);
      if (kind === 'source') return `<span class="file" title="${file}">${text}</span>`;
      return `<a href="${kind === 'outside' ? href : address}">${text}</a>`;
    });
}

/** The navigation: the lists of the first page, by its headings, each page once. A link to a heading puts no page there. */
function groupsOf(start, pages) {
  const listed = new Set();
  const [, ...groups] = start.html.split('<h2 ');
  return groups.map((group) => {
    const [, title] = /^[^>]*>([^<]*)</.exec(group);
    const addresses = [...group.matchAll(/<a href="([^"#]+)"/g)].map(([, href]) => href);
    const links = addresses
      .filter((address) => pages.has(address) && !listed.has(address) && listed.add(address))
      .map((href) => ({ href, title: pages.get(href).title }));
    return { title, links };
  });
}

function searchIndexOf(pages) {
  const index = new MiniSearch(SEARCH);
  for (const page of pages.filter(({ isSearched }) => isSearched)) {
    for (const { anchor, title, text } of page.sections) {
      if (title !== '')
        index.add({
          id: `${page.address.slice(BASE.length + 1)}#${anchor}`,
          title,
          page: page.title,
          text: text.join('\n'),
        });
    }
  }
  return JSON.stringify(index);
}

function build(folder) {
  const pages = readSources(root).map((source) => ({ ...source, ...render(source.text) }));
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const assets = new Assets(folder);
  for (const page of pages) page.html = withLinks(page, byFile, assets);
  const own = (name) => readFileSync(join(import.meta.dirname, name), 'utf8');
  const styles = [...new Set(pages.flatMap((page) => [...page.styles]))];
  assets.add('guide.css', [own('guide.css'), ...styles].join('\n'));
  for (const name of ['theme.js', 'guide.js']) assets.add(name, own(name));
  assets.add('minisearch.js', readFileSync(join(root, MINISEARCH), 'utf8').replace(/^\/\/# source.*$/m, ''));
  assets.add('search.json', searchIndexOf(pages));
  const groups = groupsOf(byFile.get(START), new Map(pages.map((page) => [page.address, page])));
  for (const page of pages) {
    const file = join(folder, outputOf(page));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, documentOf(page, groups, assets.addresses));
  }
}

build(resolve(process.argv[2]));
