import { createRequire } from 'node:module';
import { relative } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Jest transformer. A test file gets the module of its worker instead of a new one. Jest would load the service and its
 * thousand modules again for each file, which takes more than a second of processor time. Sources come from `dist`,
 * where decorators are compiled.
 */
export default {
  process(_source, path, { config: { rootDir } }) {
    if (path.endsWith('.js')) return { code: `module.exports = loadOnce(${JSON.stringify(path)});` };
    const loaded = path.endsWith('.ts') ? `${rootDir}/${builtFrom(relative(rootDir, path))}` : path;
    const names = Object.keys(require(loaded)).join(', ');
    return { code: `export const { ${names} } = loadOnce(${JSON.stringify(loaded)});` };
  },
};

/** Each package has a `dist` of its own. */
function builtFrom(source) {
  const compiled = source.replace(/\.ts$/, '.js');
  return compiled.startsWith('packages/') ? compiled.replace('/src/', '/dist/') : `dist/${compiled}`;
}
