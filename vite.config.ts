import { readFileSync } from 'node:fs';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { compression } from 'vite-plugin-compression2';

/** Puts the script that sets the theme before all others. Vite has no hash for the file of a script that is no module. */
function colorScheme(): Plugin {
  let emitted: string;
  let file: string;
  return {
    name: 'color-scheme',
    apply: ({ build }) => !build?.ssr,
    buildStart() {
      const source = readFileSync(new URL('src/web/ui/color-scheme.js', import.meta.url), 'utf8');
      emitted = this.emitFile({ type: 'asset', name: 'color-scheme.js', source });
    },
    renderStart() {
      file = this.getFileName(emitted);
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `./${file}` }, injectTo: 'head-prepend' }],
  };
}

/** The dashboard: pages of src/web/ui, served by src/web next to its handlers. */
export default defineConfig({
  root: 'src/web/ui',
  // the server puts the path of the dashboard's address before the files of the document; scripts load the rest from beside them
  base: './',
  // packages/client from its sources, as the type checker and the tests take it
  resolve: { conditions: ['@agent-control-plane/source', ...defaultClientConditions] },
  plugins: [colorScheme(), compression({ algorithms: ['gzip', 'brotliCompress'], threshold: 1_024 })],
  build: {
    outDir: '../../../dist/src/web/ui',
    emptyOutDir: true,
    // scripts/write-frames.mjs reads the files of each page from it
    manifest: true,
    // the content security policy allows no data: scripts, and small files are better cached than repeated
    assetsInlineLimit: 0,
    // browsers that know ES2023 preload modules by themselves, but for Safari 16, which loads them a little later
    modulePreload: { polyfill: false },
    target: 'es2023',
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Mantine marks its modules for React's server components, which this is not
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
      // A file for each set of modules that the same pages import would be 52 scripts for one page. Here a page has at
      // most two of its own beside those that every page needs, and the shared one is cached after the first of them.
      output: {
        // The first page has the names of all files: two characters less of each hash save 160 bytes.
        entryFileNames: 'assets/[name]-[hash:6].js',
        chunkFileNames: 'assets/[name]-[hash:6].js',
        assetFileNames: 'assets/[name]-[hash:6][extname]',
        codeSplitting: {
          groups: [
            // their file stays the same from release to release, as long as they do
            {
              name: 'libraries',
              test: /[\\/]node_modules[\\/]/,
              tags: ['$initial'],
              priority: 2,
            },
            { name: 'app', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
