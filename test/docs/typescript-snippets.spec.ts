import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['@agent-control-plane/source'],
  types: ['node'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

/** TypeScript of a page that uses the client package. */
function snippetsOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code]) => code!)
    .filter((code) => code.includes('@agent-control-plane/client'));
}

const PAGES = [
  { page: 'README.md', count: 1 },
  { page: join('packages', 'client', 'README.md'), count: 5 },
];

/** Names of files that are not on the disk, with their texts. */
const files = new Map(
  PAGES.flatMap(({ page }) =>
    snippetsOf(page).map((code, index) => [resolve(`${page}.${index}.mts`), code] as const),
  ),
);

function compile(): ts.Program {
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.getSourceFile = (file, ...rest) => {
    const text = files.get(file);
    return text === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, OPTIONS.target!);
  };
  return ts.createProgram([...files.keys()], OPTIONS, host);
}

let program: ts.Program;

beforeAll(() => {
  program = compile();
});

it.each(PAGES)(
  'The TypeScript of $page compiles unchanged when the compiler is strict',
  ({ page, count }) => {
    const snippets = [...files.keys()].filter((name) => name.startsWith(`${resolve(page)}.`));
    expect(snippets).toHaveLength(count);
    const complaints = snippets.flatMap((name) => {
      const snippet = program.getSourceFile(name);
      return [...program.getSyntacticDiagnostics(snippet), ...program.getSemanticDiagnostics(snippet)];
    });
    expect(complaints.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual(
      [],
    );
  },
);
