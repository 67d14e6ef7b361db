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
    if (!path.endsWith('.ts')) return { code: `module.exports = loadOnce(${JSON.stringify(path)});` };
    const source = relative(rootDir, path).replace(/\.ts$/, '.js');
    // each package has a `dist` of its own
    const built = source.startsWith('packages/') ? source.replace('/src/', '/dist/') : `dist/${source}`;
    const names = Object.keys(require(`${rootDir}/${built}`)).join(', ');
    return { code: `export const { ${names} } = loadOnce(${JSON.stringify(`${rootDir}/${built}`)});` };
  },
};
