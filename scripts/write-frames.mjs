// Writes the first content of the dashboard's pages, as the web server sends it: node scripts/write-frames.mjs UI
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const ui = resolve(process.argv[2]);
const manifest = JSON.parse(readFileSync(join(ui, '.vite', 'manifest.json'), 'utf8'));

/** The chunk of a module and all that it imports. */
function withImports(name, seen = new Set()) {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`The dashboard has no module ${name}`);
  if (!seen.has(chunk)) {
    seen.add(chunk);
    for (const imported of chunk.imports ?? []) withImports(imported, seen);
  }
  return seen;
}

/** The document names these itself. */
const initial = withImports('index.html');

/** The elements that load a page's files beside the first scripts, which would ask for them only when they run. */
function linksTo(module) {
  const chunks = [...withImports(module)].filter((chunk) => !initial.has(chunk));
  const scripts = chunks.map(({ file }) => `<link rel="modulepreload" crossorigin href="./${file}">`);
  const styles = chunks
    .flatMap(({ css = [] }) => css)
    .map((file) => `<link rel="preload" as="style" crossorigin href="./${file}">`);
  return [...scripts, ...styles].join('');
}

// beside the packages that it imports
const folder = mkdtempSync(join(import.meta.dirname, '..', 'node_modules', '.frames-'));
try {
  await build({
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: 'frames/frames.tsx',
      outDir: folder,
      rolldownOptions: { output: { entryFileNames: 'frames.mjs', codeSplitting: false } },
    },
  });
  const { frames } = await import(pathToFileURL(join(folder, 'frames.mjs')));
  writeFileSync(join(ui, 'frames.json'), JSON.stringify(frames(linksTo)));
} finally {
  rmSync(folder, { recursive: true });
}
