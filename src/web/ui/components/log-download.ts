import type { LogRow } from './log-buffer.js';
import { fieldsText } from './log-fields.js';
import { type Page, requestPage } from '../api/request.js';
import { saveTextFile } from './save-file.js';

/** Maximum number of lines in a file, which are all in the tab's memory. */
const MOST_LINES = 20_000;
const PAGE = 500;

/**
 * Saves the lines of a list as a text file, oldest first; only the newest 20,000.
 *
 * @param path of the list, with its filters
 * @param agentNames by id, for lines of several agents
 * @throws ApiError
 */
export async function downloadLog(path: string, agentNames?: ReadonlyMap<string, string>): Promise<void> {
  const rows: LogRow[] = [];
  let next: string | null = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
  while (next !== null && rows.length < MOST_LINES) {
    const page: Page<LogRow> = await requestPage<LogRow>(next);
    rows.push(...page.rows);
    next = page.next;
  }
  const lines = rows.toReversed().map(({ timestamp, level, agent_id, agent_name, message, metadata }) => {
    const agent = agentNames === undefined ? [] : [agent_name ?? agentNames.get(agent_id) ?? agent_id];
    const fields = fieldsText(metadata);
    return [timestamp, level, ...agent, message, ...(fields === '' ? [] : [fields])].join(' ');
  });
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  saveTextFile(`log-${time}.txt`, `${lines.join('\n')}\n`);
}
