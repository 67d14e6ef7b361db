import type { DeploymentEvent, DeploymentHistory } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { followFromRecent } from '../../following.js';
import { filled } from '../../option-values.js';
import { eventLine } from '../../output/event-line.js';
import { printJson, printJsonLine } from '../../output/json.js';
import { PAGE, type PageOptions, pageOptions, readPageOptions, readPages } from '../../paging.js';
import {
  followOption,
  type Period,
  periodOptions,
  periodQuery,
  readPeriod,
} from '../../telemetry-queries.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from './statuses.js';

export interface EventsOptions extends Period {
  readonly deployment: string;
  readonly eventType: string | undefined;
  readonly status: DeploymentStatus | undefined;
  readonly page: PageOptions;
  readonly isFollowed: boolean;
}

export const command = defineCommand<EventsOptions>({
  arguments: [deploymentArgument],
  options: [
    followOption,
    {
      flags: '--event-type <type>',
      description: 'only events of this type, such as ready or scale',
      parse: filled,
    },
    {
      flags: '--status <status>',
      description: 'only those that led to this status',
      choices: DEPLOYMENT_STATUSES,
    },
    ...periodOptions,
    ...pageOptions,
  ],
  details:
    'Shows the newest events, oldest first, numbered without gaps. With --output json it prints a list, ' +
    'newest first, or with --follow one event per line.',
  examples: [
    { command: 'deploy events 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5', explanation: 'its latest 50 events' },
    {
      command: 'deploy events 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --follow',
      explanation: 'then new ones',
    },
  ],
  read(input) {
    const options = {
      deployment: input.argument('deployment'),
      eventType: input.text('event-type'),
      status: input.value<DeploymentStatus>('status'),
      page: readPageOptions(input),
      isFollowed: input.flag('follow'),
      ...readPeriod(input),
    };
    if (options.isFollowed && options.until)
      throw new UsageError('--follow and --until do not go together: give one of them');
    if (options.isFollowed && options.page.skip > 0)
      throw new UsageError('--follow and --skip do not go together: give one of them');
    return options;
  },
  async run(options, context) {
    const deploymentId = await findDeploymentId(context, options.deployment);
    if (options.isFollowed) return followEvents(context, deploymentId, options);
    const history = await readHistory(context, deploymentId, options);
    if (context.output === 'json') return printJson(context, history);
    if (history.items.length === 0) return context.terminal.note('No such events');
    for (const event of history.items.reverse()) show(context, event);
  },
});

function followEvents(context: Context, deploymentId: string, options: EventsOptions): Promise<void> {
  const { eventType, status } = options;
  return followFromRecent(context, {
    stream: '/deployments/{deployment_id}/events/stream',
    path: { deployment_id: deploymentId },
    recent: async () => (await readHistory(context, deploymentId, options)).items.reverse(),
    show(event) {
      // the stream has no filters
      const isWanted =
        (eventType === undefined || event.event_type === eventType) &&
        (status === undefined || event.status === status);
      if (isWanted) show(context, event);
    },
  });
}

/** The history as the service returns it, with the requested number of items. */
async function readHistory(
  context: Context,
  deploymentId: string,
  options: EventsOptions,
): Promise<DeploymentHistory> {
  const service = context.service();
  const { eventType: event_type, status, page } = options;
  const filter = { event_type, status, ...periodQuery(options, context) };
  let answer: DeploymentHistory | undefined;
  const { items } = await readPages(page, PAGE.records, async (query) => {
    const { data, response } = await service.GET('/deployments/{deployment_id}/events', {
      params: { path: { deployment_id: deploymentId }, query: { ...query, ...filter } },
    });
    answer ??= data;
    return { data: data?.items, response };
  });
  return { ...answer!, items, limit: Math.max(answer!.limit, items.length) };
}

function show(context: Context, event: DeploymentEvent): void {
  if (context.output === 'json') return printJsonLine(context, event);
  context.terminal.print(eventLine(event, context.terminal.colors));
}
