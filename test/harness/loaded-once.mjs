import { createRequire } from 'node:module';
import { relative } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Jest transformer. A test file gets the module of its worker instead of a new one. Otherwise Jest would load the
 * service and its thousand modules again for each file, which takes more than a second of processor time. Sources come
 * from `dist`, where decorators are compiled.
 */
export default {
  process(source, path, { config: { rootDir }, supportsDynamicImport, supportsStaticESM }) {
    // Loaded by Jest itself, for an environment or the global setup, outside any test file.
    if (!supportsDynamicImport) return { code: source };
    const loaded = path.endsWith('.ts') ? `${rootDir}/${builtFrom(relative(rootDir, path))}` : path;
    const load = `loadOnce(${JSON.stringify(loaded)})`;
    if (!supportsStaticESM) return { code: `module.exports = ${load};` };
    const names = Object.keys(require(loaded));
    const named = names.filter((name) => name !== 'default').join(', ');
    const whole = names.includes('default') ? `export default ${load}.default;` : '';
    return { code: `export const { ${named} } = ${load}; ${whole}` };
  },
};

/** Each package has a `dist` of its own. */
function builtFrom(source) {
  const compiled = source.replace(/\.ts$/, '.js');
  return compiled.startsWith('packages/') ? compiled.replace('/src/', '/dist/') : `dist/${compiled}`;
}
