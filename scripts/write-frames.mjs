// Writes the first content of the dashboard's pages, as the web server sends it: node scripts/write-frames.mjs UI
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const ui = resolve(process.argv[2]);
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
  writeFileSync(join(ui, 'frames.json'), JSON.stringify(frames()));
} finally {
  rmSync(folder, { recursive: true });
}
