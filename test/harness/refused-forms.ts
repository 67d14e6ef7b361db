import { nodeOf, nodesOf, textOf, type TreeNode, type TreeValue } from './parse-tree.js';

/**
 * The forms of statements that a server in front of those with the rows, such as Citus, refuses or gets wrong. They are found in the
 * tree that PostgreSQL itself makes of a statement, so that no spelling hides one: see decision 0103.
 */

/** Facts about functions and tables from PostgreSQL's catalogue. */
export interface Catalogue {
  /** Oids of the functions and operators whose result depends on more than their parameters: on the time, the session or the rows. */
  readonly mutable: ReadonlySet<string>;
  /** The names of tables by their oids. */
  readonly tables: ReadonlyMap<string, string>;
}

export interface Refusal {
  /** The table that the statement writes, or that the subquery reads. */
  readonly table: string;
  readonly form: string;
}

/** `CmdType` of PostgreSQL's `nodes.h`. */
const [UPDATE, INSERT, DELETE] = ['2', '3', '4'] as const;
const WRITES: readonly string[] = [UPDATE, INSERT, DELETE];
/** A regular expression for the names of the tables that a cluster spreads by their agent. */
export const SPREAD_TABLES =
  '(agent_(logs|log_positions|metrics|spans|span_contents|content_sizes)|telemetry_batches|uncounted_usage)';
/** The same, with their partitions. */
const SPREAD = new RegExp(`^${SPREAD_TABLES}(_|$)`);
/** The number of the system column `ctid`. */
const CTID = '-1';
/** Nodes that call a function, and the field with its oid. Their names are those of PostgreSQL 14 to 18. */
const CALLS: Readonly<Record<string, string>> = {
  AGGREF: 'aggfnoid',
  DISTINCTEXPR: 'opfuncid',
  FUNCEXPR: 'funcid',
  NULLIFEXPR: 'opfuncid',
  OPEXPR: 'opfuncid',
  SCALARARRAYOPEXPR: 'opfuncid',
};
/** Evaluated only where a row needs it, so a server in front can't compute the time in it beforehand. */
const LAZY = /^(CASE|COALESCE)(EXPR)?$/;
const TABLE_ENTRY = /^(RANGETBLENTRY|RTE)$/;

/** All that is refused in a statement, which may contain several writes. */
export function refusedForms(statement: TreeValue, catalogue: Catalogue): Refusal[] {
  const writes = [...nodesOf(statement)].filter(isWrite);
  const ofWrites = writes.flatMap((write) => {
    const table = targetOf(write, catalogue);
    return formsOf(write, catalogue).map((form) => ({ table, form }));
  });
  return [...ofWrites, ...loneSubqueries(statement, catalogue)];
}

/**
 * Subqueries of a spread table that use a column of what is not spread, in FROM (LATERAL) or in an expression. Next to a table that is
 * spread the same way, each server answers them for its own rows.
 */
function loneSubqueries(statement: TreeValue, { tables }: Catalogue): Refusal[] {
  const spreadOf = (entry: TreeNode | undefined) => {
    const table = entry && tables.get(textOf(entry, 'relid'));
    return table !== undefined && SPREAD.test(table) ? table : undefined;
  };
  return [...nodesOf(statement)].filter(isQuery).flatMap((outer) => {
    const entries = entriesOf(outer);
    return subqueriesOf(outer).flatMap((subquery) => {
      const table = [...nodesOf(subquery)]
        .filter(({ type }) => TABLE_ENTRY.test(type))
        .map(spreadOf)
        .find(Boolean);
      const used = ofOneQuery([...subquery.fields.values()]).filter(isOfOuterQuery);
      const isLone = used.some((column) => !spreadOf(entries[Number(textOf(column, 'varno')) - 1]));
      return table !== undefined && isLone
        ? [{ table, form: 'a subquery for each row of what is not spread' }]
        : [];
    });
  });
}

/** The subqueries of FROM and of expressions, without those of subqueries. */
function subqueriesOf(query: TreeNode): TreeNode[] {
  const ofFrom = entriesOf(query).map((entry) => nodeOf(entry, 'subquery'));
  const ofExpressions = ofOneQuery(
    ['targetList', 'jointree', 'havingQual'].map((field) => query.fields.get(field) ?? []),
  )
    .filter(({ type }) => type === 'SUBLINK')
    .map((link) => nodeOf(link, 'subselect'));
  return [...ofFrom, ...ofExpressions].filter((subquery) => subquery !== undefined);
}

function isOfOuterQuery(node: TreeNode): boolean {
  return node.type === 'VAR' && textOf(node, 'varlevelsup') === '1';
}

function isQuery({ type }: TreeNode): boolean {
  return type === 'QUERY';
}

function isWrite(node: TreeNode): boolean {
  return isQuery(node) && WRITES.includes(textOf(node, 'commandType'));
}

function formsOf(write: TreeNode, catalogue: Catalogue): string[] {
  const isInsert = textOf(write, 'commandType') === INSERT;
  const where = nodeOf(write, 'jointree')?.fields.get('quals');
  const changes = isInsert ? [] : [write.fields.get('targetList'), where].flatMap(ofOneQuery);
  const sources = isInsert ? sourcesOf(write) : [];
  const checks: Readonly<Record<string, boolean>> = {
    'the time in CASE or COALESCE': changes.some(
      (node) => LAZY.test(node.type) && isMutable(node, catalogue),
    ),
    'the time, computed with a column': changes.some((node) => calls(node, catalogue) && hasColumn(node)),
    'the time in ON CONFLICT': isMutable(nodeOf(write, 'onConflict'), catalogue),
    'the time in RETURNING': isMutable(write.fields.get('returningList'), catalogue),
    'a subquery in VALUES or RETURNING': isInsert && textOf(write, 'hasSubLinks') === 'true',
    'INSERT of constants without VALUES or unnest': sources.some(
      (source) => textOf(source, 'rtable') === '<>',
    ),
    ctid: [...nodesOf(write)].some((node) => node.type === 'VAR' && textOf(node, 'varattno') === CTID),
  };
  return Object.keys(checks).filter((form) => checks[form]);
}

/** The SELECTs from which an INSERT takes its rows. */
function sourcesOf(write: TreeNode): TreeNode[] {
  const entries = [...nodesOf(write.fields.get('rtable'))].filter(({ type }) => TABLE_ENTRY.test(type));
  return entries.map((entry) => nodeOf(entry, 'subquery')).filter((subquery) => subquery !== undefined);
}

function isMutable(value: TreeValue | undefined, catalogue: Catalogue): boolean {
  return [...nodesOf(value)].some((node) => node.type === 'SQLVALUEFUNCTION' || calls(node, catalogue));
}

/** True if the node itself calls a function whose result depends on more than its parameters. */
function calls(node: TreeNode, { mutable }: Catalogue): boolean {
  const field = CALLS[node.type];
  return field !== undefined && mutable.has(textOf(node, field));
}

/** True if a column is among the parameters. */
function hasColumn(call: TreeNode): boolean {
  return ofOneQuery(call).some(({ type }) => type === 'VAR');
}

/** The nodes without those of subqueries, which are read before the rows are written. */
function ofOneQuery(value: TreeValue | undefined): TreeNode[] {
  return [...nodesOf(value, (node) => node.type !== 'QUERY')];
}

/** The tables, subqueries and other sources of a query, by their numbers from 1. */
function entriesOf(query: TreeNode): readonly TreeNode[] {
  const [entries] = query.fields.get('rtable') ?? [];
  return Array.isArray(entries) ? (entries as readonly TreeNode[]) : [];
}

function targetOf(write: TreeNode, { tables }: Catalogue): string {
  const entry = entriesOf(write)[Number(textOf(write, 'resultRelation')) - 1]!;
  return tables.get(textOf(entry, 'relid'))!;
}
