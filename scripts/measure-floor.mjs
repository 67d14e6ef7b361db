// Prints the cost of a change of one endpoint: the files that each of five controllers reaches by value imports, with
// their lines, and the lines of the folders below the features.
// node scripts/measure-floor.mjs [--check]
// With --check it fails if a figure exceeds its limit.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { root } from './project.mjs';

const CONTROLLERS = {
  'src/leads/leads.controller.ts': { files: 29, lines: 1_699 },
  'src/newsletter/newsletter.controller.ts': {},
  'src/deployments/deployments.controller.ts': { files: 89, lines: 7_499 },
  'src/agents/agents.controller.ts': {},
  'src/agent-runtime/agent-runtime.controller.ts': {},
};
const FLOOR = ['http', 'database', 'http-server', 'live'];
/** What they have now, rounded up: a change must not make them grow. */
const FLOOR_LINES = 7_700;

const textOf = (file) => readFileSync(file, 'utf8');
const linesOf = (files) => files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);

/** Returns true for an import or export that leaves nothing in the JavaScript. */
function isOfTypes(statement) {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const { phaseModifier, name, namedBindings } = statement.importClause ?? {};
  if (phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}

/** The project's files from which a file imports values. */
function importsOf(file) {
  return ts
    .createSourceFile(file, textOf(file), ts.ScriptTarget.Latest)
    .statements.filter((it) => ts.isImportDeclaration(it) || ts.isExportDeclaration(it))
    .filter((it) => it.moduleSpecifier?.text.startsWith('.') && !isOfTypes(it))
    .map((it) => join(dirname(file), it.moduleSpecifier.text.replace(/\.js$/, '.ts')))
    .filter(existsSync);
}

/** The file and all files that it reaches. */
function closureOf(file) {
  const reached = new Set([file]);
  for (const each of reached) importsOf(each).forEach((imported) => reached.add(imported));
  return [...reached];
}

/** Prints a figure. @returns false if it exceeds its limit */
function report(name, figure, bound = Infinity) {
  const isWithin = figure <= bound;
  console.log(`${String(figure).padStart(6)}  ${name}${isWithin ? '' : `: more than ${bound}`}`);
  return isWithin;
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const results = Object.entries(CONTROLLERS).flatMap(([controller, { files, lines }]) => {
  const closure = closureOf(join(root, controller));
  return [
    report(`files reached by ${controller}`, closure.length, files),
    report(`lines reached by ${controller}`, linesOf(closure), lines),
  ];
});
const floor = FLOOR.flatMap((folder) => globSync(join(root, 'src', folder, '**/*.ts'))).filter(
  (file) => !file.endsWith('.spec.ts'),
);
for (const folder of FLOOR) {
  const files = floor.filter((file) => relative(join(root, 'src'), file).startsWith(`${folder}/`));
  report(`lines of src/${folder}`, linesOf(files));
}
results.push(
  report(`lines of ${FLOOR.map((folder) => `src/${folder}`).join(', ')}`, linesOf(floor), FLOOR_LINES),
);
if (values.check && results.includes(false)) process.exit(1);
