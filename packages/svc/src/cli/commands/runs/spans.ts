import type { Span } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { findRunId, runArgument } from '../../find-run.js';
import { dollars, tokensText } from '../../output/amounts.js';
import { shortTime } from '../../output/relative-time.js';
import { printJson } from '../../output/json.js';
import { type SpanLine, spanTree } from '../../output/span-tree.js';
import { type Column, printList } from '../../output/table.js';
import { readOnwards } from '../../paging.js';

/** The service's largest page of spans. */
const PAGE_SIZE = 5_000;

export const command = defineCommand({
  arguments: [runArgument],
  details:
    'Shows all spans of the run as a tree: model calls, tool calls, and what encloses them. --output json ' +
    'lists them by start time. Spans are kept for some days: SPAN_RETENTION_DAYS of the service, or ' +
    'span_days of the project.',
  examples: [
    { command: 'runs spans 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111', explanation: 'what took so long' },
    {
      command: `runs spans 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111 --jq '.[] | select(.status == "error") | .name'`,
      explanation: 'what failed',
    },
  ],
  read: (input) => ({ run: input.argument('run') }),
  async run({ run }, context) {
    const path = { run_id: await findRunId(context, run) };
    const service = context.service();
    const spans = await readOnwards((position) =>
      service.GET('/runs/{run_id}/spans', { params: { path, query: { ...position, limit: PAGE_SIZE } } }),
    );
    if (context.output === 'json') return printJson(context, spans);
    printList(context, {
      items: spanTree(spans),
      columns: columns(context),
      ifEmpty: 'No spans: its program has sent none, or they are no longer kept',
    });
  },
});

function columns({ terminal: { colors } }: Context): Column<SpanLine>[] {
  return [
    { title: 'SPAN', value: ({ text }) => text, fit: 'name' },
    { title: 'KIND', value: ({ span }) => span.kind },
    { title: 'TOOK', value: ({ span }) => shortTime(span.duration_ms) },
    { title: 'MODEL', value: ({ span }) => span.model, fit: 'detail' },
    { title: 'TOKENS', value: ({ span: { usage } }) => usage && tokensText(usage) },
    { title: 'COST', value: ({ span: { usage } }) => (usage?.cost_usd ? dollars(usage.cost_usd) : null) },
    { title: 'ERROR', value: ({ span }) => failure(span), paint: (text) => colors.red(text), fit: 'detail' },
  ];
}

/** `timeout: the model did not answer`; null for what did not fail. */
function failure({ status, error_type, error_message }: Span): string | null {
  if (status !== 'error') return null;
  return [error_type, error_message].filter(Boolean).join(': ') || 'failed';
}
