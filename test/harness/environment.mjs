import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { compileFunction } = vm;

/**
 * Every suite loads the same thousand CommonJS modules into a context of its own. Jest has each compiled anew there;
 * a script is compiled once in a process, and shared by the contexts in which it runs. What a module holds is as
 * separate as before.
 *
 * @returns the function around a module, as `vm.compileFunction` does
 */
function compileOnce(source, parameters = [], options = {}) {
  const { parsingContext, filename } = options;
  // what imports while it runs needs Jest's own way, which keeps V8 from sharing
  const isShareable =
    parsingContext && filename && !/\bimport\b\s*\(/.test(source) && !source.startsWith('#!');
  if (!isShareable) return compileFunction(source, parameters, options);
  const opening = `(function (${parameters.join(', ')}) {`;
  // a stack trace counts columns without the opening
  const script = new vm.Script(`${opening}${source}\n})`, { filename, columnOffset: -opening.length });
  return script.runInContext(parsingContext);
}

vm.compileFunction = compileOnce;

export default TestEnvironment;
