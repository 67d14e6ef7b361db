// The document around a page.
import { BASE, relativeAddress } from './sources.mjs';

/** An attribute with an address of this server. */
const OWN_ADDRESS = /(?<= )(href|src|data-engine|data-index)="(\/(?!\/)[^"]*)"/g;

const escape = (text) => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function link({ href, title }, current) {
  const mark = href === current ? ' aria-current="page"' : '';
  return `<li><a href="${href}"${mark}>${escape(title)}</a></li>`;
}

function list(links, current) {
  return `<ul>${links.map((it) => link(it, current)).join('')}</ul>`;
}

function contentsOf(sections) {
  const links = sections
    .filter(({ level }) => level === 2)
    .map(({ anchor, title }) => ({ href: `#${anchor}`, title }));
  if (links.length < 2) return '';
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2>${list(links)}</nav>`;
}

/**
 * @param {{ address: string, title: string, html: string, sections: object[] }} page
 * @param {{ title: string, links: { href: string, title: string }[] }[]} groups the navigation
 * @param {Readonly<Record<string, string>>} assets addresses, by name
 */
export function documentOf(page, groups, assets) {
  const title = page.address === `${BASE}/` ? page.title : `${page.title} · Documentation`;
  const navigation = groups
    .map((group) => `<h2>${escape(group.title)}</h2>${list(group.links, page.address)}`)
    .join('');
  const document = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="/icon.svg">
<link rel="stylesheet" href="${assets['guide.css']}">
<script src="${assets['theme.js']}"></script>
<script type="module" src="${assets['guide.js']}"></script>
<title>${escape(title)} · Agent control plane</title>
</head>
<body data-engine="${assets['minisearch.js']}" data-index="${assets['search.json']}">
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="home" href="${BASE}/">Agent control plane</a>
<search><label for="search">Search</label><input id="search" type="search" autocomplete="off" spellcheck="false">
<div id="results" hidden><p role="status"></p><ol></ol></div></search>
<a class="to-pages" href="#pages">Pages</a>
<a href="/docs">API</a>
<a href="/">Dashboard</a>
<button id="theme" type="button">Dark</button>
</header>
<div class="columns">
<main id="main" tabindex="-1">
${page.html}</main>
${contentsOf(page.sections)}
<nav id="pages" aria-label="Pages">${navigation}</nav>
</div>
</body>
</html>
`;
  return document.replaceAll(
    OWN_ADDRESS,
    (_, attribute, address) => `${attribute}="${relativeAddress(page.address, address)}"`,
  );
}
