// The search and the choice of a theme. Every page can be read without them.
const { engine, index } = document.body.dataset;
/** Folder of the site; this script is in its folder `assets`. */
const SITE = new URL('..', import.meta.url);
const MOST_RESULTS = 12;
const THEME = 'mantine-color-scheme-value';

const field = document.getElementById('search');
const results = document.getElementById('results');
const status = results.querySelector('[role=status]');
const list = results.querySelector('ol');
let search;

/** Loads the search when it is first used. */
function loadSearch() {
  search ??= Promise.all([
    import(new URL(engine, document.baseURI).href),
    fetch(index).then((reply) => reply.text()),
  ]).then(([{ default: MiniSearch }, json]) =>
    MiniSearch.loadJSON(json, {
      fields: ['title', 'page', 'text'],
      storeFields: ['title', 'page'],
      searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.1, combineWith: 'AND' },
    }),
  );
  // after a failure the next key tries again
  search.catch(() => (search = undefined));
  return search;
}

function resultOf({ id, title, page }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = new URL(id, SITE).href;
  link.textContent = title === page ? title : `${page}: ${title}`;
  item.append(link);
  return item;
}

async function showResults() {
  const asked = field.value.trim();
  if (asked === '') return void (results.hidden = true);
  let found = [];
  try {
    found = (await loadSearch()).search(asked);
    status.textContent = found.length === 0 ? `Nothing found for “${asked}”` : `${found.length} found`;
  } catch {
    status.textContent = 'The search could not be loaded. Is the server running?';
  }
  // an earlier search may end after a later one
  if (asked !== field.value.trim()) return;
  list.replaceChildren(...found.slice(0, MOST_RESULTS).map(resultOf));
  results.hidden = false;
}

/** Moves the focus among the field and the results, as the arrow keys say. */
function moveFocus(step) {
  const stops = [field, ...list.querySelectorAll('a')];
  stops[stops.indexOf(document.activeElement) + step]?.focus();
}

field.addEventListener('focus', () => void loadSearch().catch(() => undefined));
field.addEventListener('input', () => void showResults());
field.addEventListener('keydown', ({ key }) => key === 'Enter' && list.querySelector('a')?.click());
document.querySelector('search').addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    results.hidden = true;
    field.focus();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    moveFocus(event.key === 'ArrowDown' ? 1 : -1);
  }
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('search') || target.closest('#results a')) results.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input')) return;
  event.preventDefault();
  field.focus();
});

const button = document.getElementById('theme');
const root = document.documentElement;

function isDark() {
  return (
    (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
  );
}

function nameButton() {
  button.textContent = isDark() ? 'Light' : 'Dark';
}

button.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  localStorage.setItem(THEME, root.dataset.theme);
  nameButton();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', nameButton);
nameButton();

// the list of pages is long, and scrolls by itself on a wide screen
const pages = document.getElementById('pages');
const current = pages.querySelector('[aria-current]');
if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
