// Reads tables of data from TSV files: a line is a row, tabs part its cells, and the first line names the columns.

/**
 * Reads a table. Empty cells at the end of a line may be left out.
 *
 * @param {string} text content of a TSV file
 * @returns {{ columns: string[], rows: Record<string, string>[] }}
 */
export function readTable(text) {
  const [columns, ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return {
    columns,
    rows: rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? '']))),
  };
}

/** The targets of a cell in the column `pages`, which are relative to the file. */
export const pagesOf = (row) => (row.pages ?? '').split(' ').filter((target) => target !== '');

/**
 * The page of a table, which has the file's name as its title. Each value of the first column becomes a heading, and the
 * targets in the column `pages` become links.
 *
 * @param {string} name of the file
 * @param {string} text its content
 * @returns {string} Markdown
 */
export function tablePage(name, text) {
  const { columns, rows } = readTable(text);
  const [group, ...shown] = columns;
  const cellOf = (row, column) =>
    column === 'pages'
      ? pagesOf(row)
          .map((target) => `[${target}](${target})`)
          .join(' ')
      : row[column].replaceAll('|', '\\|');
  const lineOf = (cells) => `| ${cells.join(' | ')} |`;
  const tables = [...Map.groupBy(rows, (row) => row[group])].map(([title, its]) =>
    [
      `## ${title}\n`,
      lineOf(shown),
      lineOf(shown.map(() => '---')),
      ...its.map((row) => lineOf(shown.map((column) => cellOf(row, column)))),
    ].join('\n'),
  );
  return [`# ${name}`, ...tables, ''].join('\n\n');
}
