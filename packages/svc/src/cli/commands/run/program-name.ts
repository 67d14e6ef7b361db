import { basename, extname } from 'node:path';

/** Programs that run a script, which has the name that counts. */
const INTERPRETERS =
  /^(?:python|pypy|node|deno|bun|ruby|perl|php|java|sh|bash|zsh|uv|poetry|npx|npm|tsx|env)[\d.]*$/;
const SCRIPT = /\.(?:py|[cm]?[jt]s|rb|pl|php|jar|sh|lua)$/;
/** Names that say nothing: the folder's counts instead. */
const GENERIC = /^(?:agent|main|index|app|run|start|server|__main__)$/;

/** The name of the agent of a program: of its script or module, or else of the folder. Pure. */
export function programName(words: readonly string[], directory: string): string {
  const stem = stemOf(words);
  return stem === undefined || GENERIC.test(stem) ? basename(directory) || 'agent' : stem;
}

function stemOf([program = '', ...rest]: readonly string[]): string | undefined {
  const script = rest.find((word) => SCRIPT.test(word));
  if (script !== undefined) return basename(script, extname(script));
  const at = rest.indexOf('-m');
  const module = at === -1 ? undefined : rest[at + 1];
  if (module !== undefined) return module.split('.').at(-1);
  const name = basename(program);
  return INTERPRETERS.test(name) ? undefined : basename(name, extname(name));
}
