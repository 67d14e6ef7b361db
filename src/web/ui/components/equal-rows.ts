import type { LogRow } from './log-buffer.js';

/** Groups of lines, in their order: a line that differs only in its time from the line before is in the same group. */
export function equalRows(rows: readonly LogRow[]): LogRow[][] {
  const groups: LogRow[][] = [];
  let before: string | null = null;
  for (const row of rows) {
    const content = contentOf(row);
    if (content === before) groups.at(-1)!.push(row);
    else groups.push([row]);
    before = content;
  }
  return groups;
}

const contentOf = ({ agent_id, deployment_id, run_id, level, message, metadata }: LogRow): string =>
  JSON.stringify([agent_id, deployment_id, run_id, level, message, metadata]);
