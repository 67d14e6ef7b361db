import { Group, SegmentedControl, Text } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { Suspense, useEffect } from 'react';
import { type UsageReport, useUsage } from '../../api/usage.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { AgentSelect } from '../../components/agent-select.js';
import { roundCostText } from '../../components/amounts.js';
import { DocsButton } from '../../components/docs-button.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { readCharts, SpendChart } from '../../components/lazy-charts.js';
import { Pending } from '../../components/pending.js';
import { UsageFacts } from '../../components/usage-facts.js';
import { MEASURES } from '../../components/usage-points.js';
import { BudgetPanel } from './budget-panel.js';
import { RANGES, useUsageRange } from './usage-range.js';
import { UsageTable } from './usage-table.js';
import classes from './usage.module.css';

/** Usage by day or hour as a chart, in sum, and by agent, model, config version or project. */
export function Spend() {
  useEffect(readCharts, []);
  const [search, set] = useAddressFilter();
  const [range, chooseRange] = useUsageRange();
  const agent = search.get('agent');
  const report = useUsage({
    group_by: range.unit,
    range: range.value,
    since: range.since,
    ...(agent && { agent_id: agent }),
  });
  return (
    <>
      <Group gap="sm" mb="md" role="search" aria-label="Filters">
        <SegmentedControl
          size="xs"
          data={RANGES.map(({ value, label }) => ({ value, label }))}
          value={range.value}
          onChange={chooseRange}
          aria-label="Time range"
        />
        <AgentSelect
          size="xs"
          aria-label="Agent"
          placeholder="Any agent"
          clearable
          w={190}
          value={agent}
          onChange={(id) => set('agent', id)}
        />
      </Group>
      <div className={classes.columns}>
        <section aria-label="Spend" className={classes.main}>
          {report.error && !report.data && (
            <ErrorNotice
              error={report.error}
              title="Couldn’t load the usage"
              onRetry={() => void report.refetch()}
            />
          )}
          {report.isPending && <Pending rows={3} height={120} />}
          {report.data && <Report report={report.data} />}
        </section>
        <BudgetPanel />
      </div>
      {report.data && report.data.rows.length > 0 && <UsageTable />}
    </>
  );
}

function Report({ report }: { readonly report: UsageReport }) {
  const [search, set] = useAddressFilter();
  const measure = MEASURES.find(({ value }) => value === search.get('measure')) ?? MEASURES[0]!;
  if (report.rows.length === 0) {
    return (
      <EmptyState icon={IconChartLine} title="No usage in this period" action={<DocsButton />}>
        Programs send their traces or metrics with OpenTelemetry to <code>/otlp</code>, which{' '}
        <code>svc run</code> sets up, or report it to <code>POST /agents/usage</code>.
      </EmptyState>
    );
  }
  return (
    <>
      <UsageFacts usage={report.total} writeCost={roundCostText} />
      {report.total.uncosted_calls > 0 && (
        <Text size="sm" mt="xs">
          Costs leave out calls without a price. Operators set prices with <code>PUT /model-prices</code>.
        </Text>
      )}
      <SegmentedControl
        size="xs"
        my="sm"
        data={MEASURES.map(({ value, label }) => ({ value, label }))}
        value={measure.value}
        onChange={(value) => set('measure', value === MEASURES[0]!.value ? null : value)}
        aria-label="What the chart shows"
      />
      <Suspense fallback={<Pending rows={1} height={270} />}>
        <SpendChart report={report} measure={measure} />
      </Suspense>
    </>
  );
}
