import { defineConfig } from 'orval';

export default defineConfig({
  service: {
    input: '../../openapi.json',
    output: {
      target: 'generated/orval/client.ts',
      mode: 'single',
      client: 'fetch',
      baseUrl: {
        runtime: 'serviceUrl()',
        imports: [{ name: 'serviceUrl', importPath: '../../service-url.js' }],
      },
    },
  },
});
