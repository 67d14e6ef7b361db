import { Tabs } from '@mantine/core';
import { useAddressFilter } from '../../components/address-filter.js';
import { PageHeader } from '../../components/page-header.js';
import { Budgets } from './budgets.js';
import { Spend } from './spend.js';

const TABS = [
  { value: 'spend', label: 'Spend' },
  { value: 'budgets', label: 'Budgets' },
];

/** Usage and cost of the agents, and the limits that people set. */
export function UsagePage() {
  const [search, set] = useAddressFilter();
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? 'spend';
  return (
    <>
      <PageHeader title="Usage">
        <span>Tokens, calls and cost of your agents, and the budgets that limit them.</span>
      </PageHeader>
      <Tabs
        value={tab}
        onChange={(value) => set('tab', value === 'spend' ? null : value)}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="spend">
          <Spend />
        </Tabs.Panel>
        <Tabs.Panel value="budgets">
          <Budgets />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
