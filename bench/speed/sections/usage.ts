import { USAGE_GROUPINGS } from '../../../src/usage/usage.types.js';
import { type BenchDatabase, vacuumFilled } from '../../fleet/bench-database.js';
import { underLoad } from '../load.js';
import { below, type Section } from '../section.js';

const AGENTS = 10_000;
const DAYS = 30;
const DAY_MS = 86_400_000;
const LONGEST_MS = 100;
const nameOf = (grouping: string) => `by ${grouping}: service`;

/** Sums of a month, each read by one caller that waits for its reply. */
export const usage: Section = {
  name: 'usage',
  asks: `\`GET /usage?group_by=...\` over ${DAYS} days of ${AGENTS.toLocaleString('en')} agents of one project`,
  async contenders(bench) {
    const agents = Math.min(AGENTS, bench.sizes.seed.agents);
    const { service, person } = await bench.ofSize(agents, 1, fillUsage);
    // Whole days, the present one among them; by the hour the range has to be named.
    const since = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS).toISOString();
    return USAGE_GROUPINGS.map((grouping) => {
      const path = `/usage?group_by=${grouping}&since=${since}`;
      const asked = () => [{ method: 'GET' as const, path, headers: person }];
      return underLoad(bench, nameOf(grouping), service, asked, { connections: 1 });
    });
  },
  targets: USAGE_GROUPINGS.map((grouping) => below(LONGEST_MS, nameOf(grouping), 'p50Ms', 'p50, ms')),
};

/**
 * Usage of each agent of one model within each of the days, with two config versions. Sums of hours of single agents
 * are left out: none of these reports reads them.
 */
async function fillUsage(database: BenchDatabase): Promise<void> {
  const names = 'input_tokens, cache_read_tokens, output_tokens, llm_calls, tool_calls, cost_micros';
  const used = (times: string) =>
    ['4000', '12000', '900', '24', '40', '30000'].map((amount) => `${amount} * ${times}`).join(', ');
  const model = (number: string) =>
    `CASE ${number} % 3 WHEN 0 THEN 'gpt-4o' WHEN 1 THEN 'claude-sonnet-4-5' ELSE 'gemini-2.5-pro' END`;
  await database.query(
    `INSERT INTO usage_daily (project_id, day, agent_id, model, config_version, ${names})
     SELECT agents.user_id, (now() AT TIME ZONE 'UTC')::date - day, agents.id, ${model('number')}, 1 + day / 20, ${used('(1 + number % 9)')}
     FROM generate_series(${DAYS - 1}, 0, -1) AS day
     CROSS JOIN bench_agents JOIN agents ON agents.id = bench_agents.id`,
  );
  await database.query(
    `INSERT INTO usage_weekly (project_id, week, agent_id, model, config_version, ${names})
     SELECT project_id, date_trunc('week', day::timestamp)::date, agent_id, model, config_version,
       ${names
         .split(', ')
         .map((name) => `sum(${name})`)
         .join(', ')}
     FROM usage_daily GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
  );
  await database.query(
    `INSERT INTO project_usage (project_id, hour, model, ${names})
     SELECT project_id, date_trunc('hour', now(), 'UTC') - make_interval(hours => hour), ${model('number')}, ${used('100')}
     FROM (SELECT DISTINCT user_id AS project_id FROM agents) AS project
     CROSS JOIN generate_series(0, ${DAYS * 24 - 1}) AS hour CROSS JOIN generate_series(0, 2) AS number`,
  );
  await vacuumFilled(database);
}
