import type { FeedEvent } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { followFromRecent, streamPosition } from '../following.js';
import { integer } from '../option-values.js';
import { eventLine } from '../output/event-line.js';
import { printJson, printJsonLine } from '../output/json.js';
import { printableLine } from '../output/printable.js';
import { nextPage, PAGE } from '../paging.js';
import { followOption } from '../telemetry-queries.js';

export interface FeedOptions {
  /** The number after which events are read; absent: the newest are read. */
  readonly after: number | undefined;
  /** Maximum number of events; Infinity for all. */
  readonly limit: number;
  readonly isFollowed: boolean;
}

const DEFAULT_LIMIT = 50;

export const command = defineCommand<FeedOptions>({
  options: [
    followOption,
    {
      flags: '--after <number>',
      description: 'those after this user_sequence; 0: from the first',
      parse: integer(0),
    },
    {
      flags: '-n, --limit <number>',
      description: `how many to show (default ${DEFAULT_LIMIT})`,
      parse: integer(0),
    },
    { flags: '--all', description: 'show all' },
  ],
  details:
    'Shows the events of all deployments of a project, oldest first and numbered without gaps: the newest ' +
    '50, or those after a number. To miss none, keep the last user_sequence. With --follow each event ' +
    'comes once. Without --project it is the project in use, or else your personal one.',
  examples: [
    { command: 'events --follow', explanation: 'what happens, as it happens' },
    {
      command: 'events --after 1234 --all --output json',
      explanation: 'everything since the last time, for a program',
    },
  ],
  read(input) {
    const after = input.number('after');
    const isFollowed = input.flag('follow');
    // following from a number must include all events after it
    const isAll = input.flag('all') || (isFollowed && after !== undefined);
    return {
      after,
      limit: isAll ? Number.POSITIVE_INFINITY : (input.number('limit') ?? DEFAULT_LIMIT),
      isFollowed,
    };
  },
  async run(options, context) {
    const stream = '/events/stream';
    const query = { project_id: await context.projectId() };
    if (options.isFollowed) {
      const recent = (position: string) => readFeed(context, options, Number(position));
      return followFromRecent(context, { stream, query, recent, show: (event) => show(context, event) });
    }
    const position = await streamPosition(context.service(), stream, { query, signal: context.signal });
    const events = await readFeed(context, options, Number(position));
    if (context.output === 'json') return printJson(context, events);
    if (events.length === 0) return context.terminal.note('Nothing has happened');
    for (const event of events) show(context, event);
  },
});

/** @param position the number of the newest event; later ones are left to the stream */
async function readFeed(context: Context, options: FeedOptions, position: number): Promise<FeedEvent[]> {
  const service = context.service();
  const project_id = await context.projectId();
  const events: FeedEvent[] = [];
  let after: number | undefined = options.after ?? Math.max(0, position - options.limit);
  // The service refuses a number that does not exist yet.
  const isAhead = after > position;
  while (after !== undefined && (after < position || isAhead) && events.length < options.limit) {
    const limit = Math.min(PAGE.records, options.limit - events.length);
    const query = { after, limit, project_id };
    const { data = [], response } = await service.GET('/events', { params: { query } });
    events.push(...data.filter(({ user_sequence }) => user_sequence <= position));
    after = nextPage(response, 'after', after);
  }
  return events;
}

function show(context: Context, event: FeedEvent): void {
  if (context.output === 'json') return printJsonLine(context, event);
  const { colors } = context.terminal;
  const ids = `agent=${printableLine(event.agent_id)}  deployment=${printableLine(event.deployment_id)}`;
  context.terminal.print(`${event.user_sequence}  ${eventLine(event, colors)}  ${colors.dim(ids)}`);
}
