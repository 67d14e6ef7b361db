import { defaultClientConditions, defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

/** The dashboard: pages of src/web/ui, served by src/web next to its handlers. */
export default defineConfig({
  root: 'src/web/ui',
  base: '/',
  // packages/client from its sources, as the type checker and the tests take it
  resolve: { conditions: ['@agent-control-plane/source', ...defaultClientConditions] },
  plugins: [compression({ algorithms: ['gzip', 'brotliCompress'], threshold: 1_024 })],
  build: {
    outDir: '../../../dist/src/web/ui',
    emptyOutDir: true,
    // the content security policy allows no data: scripts, and small files are better cached than repeated
    assetsInlineLimit: 0,
    target: 'es2023',
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Mantine marks its modules for React's server components, which this is not
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
});
