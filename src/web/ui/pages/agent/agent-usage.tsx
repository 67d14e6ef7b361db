import { Button, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { useUsage } from '../../api/usage.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { USUAL_RANGE } from '../usage/usage-range.js';
import { UsageRows } from '../usage/usage-rows.js';

/** Tokens and cost of the agent's models. */
export function AgentUsage({ agentId }: { readonly agentId: string }) {
  const { value: range, since } = USUAL_RANGE;
  const report = useUsage({ group_by: 'model', range, since, agent_id: agentId });
  return (
    <section aria-label="Usage of models">
      <Title order={2} size="h4" mb="xs">
        Models, last 30 days
      </Title>
      {report.error && !report.data && (
        <ErrorNotice error={report.error} onRetry={() => void report.refetch()} />
      )}
      {report.isPending && <Pending rows={2} />}
      {report.data &&
        (report.data.rows.length > 0 ? (
          <UsageRows report={report.data} label="Usage by model" />
        ) : (
          <Text size="sm" c="dimmed">
            It has reported no LLM or tool calls.
          </Text>
        ))}
      <Button
        component={Link}
        to={`/usage?agent=${agentId}&by=model`}
        variant="subtle"
        size="xs"
        mt="xs"
        mb="lg"
      >
        Spend of this agent
      </Button>
    </section>
  );
}
