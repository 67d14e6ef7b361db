import { WholeNumberField } from '../../http/request-fields.js';

const LimitField = (max: number, example: number, description: string) =>
  WholeNumberField({ min: 1, max, optional: true, nullable: true, description, example });

const RetentionField = (what: string, setting: string) =>
  LimitField(
    36_500,
    3,
    `Days for which ${what} are stored: at most \`${setting}_RETENTION_DAYS\` of the installation.`,
  );

const MOST_BYTES = 1_125_899_906_842_624;

/** Absent properties keep their values. Null: the limit of the installation holds. */
export class UpdateProjectLimitsRequest {
  @LimitField(10_000_000, 500, 'Number of agents in the project.')
  agents?: number | null;

  @LimitField(10_000, 100, 'Number of webhooks in the project. Each event is stored once per webhook.')
  webhooks?: number | null;

  @LimitField(1_000_000, 1_000, 'Number of schedules in the project.')
  schedules?: number | null;

  @LimitField(1_000_000, 10_000, 'Number of queued runs per agent of the project.')
  queued_runs?: number | null;

  @LimitField(MOST_BYTES, 53_687_091_200, 'Bytes of logs per day.')
  logs?: number | null;

  @LimitField(MOST_BYTES, 21_474_836_480, 'Bytes of metrics per day.')
  metrics?: number | null;

  @LimitField(MOST_BYTES, 53_687_091_200, 'Bytes of spans per day.')
  spans?: number | null;

  @LimitField(MOST_BYTES, 1_073_741_824, 'Bytes of configs per day.')
  config_bytes?: number | null;

  @LimitField(1_000_000_000, 100_000, 'Config versions per day.')
  config_versions?: number | null;

  @RetentionField('logs', 'LOG')
  log_days?: number | null;

  @RetentionField('metrics', 'METRIC')
  metric_days?: number | null;

  @RetentionField('spans and their content', 'SPAN')
  span_days?: number | null;

  @RetentionField('ended runs', 'RUN')
  run_days?: number | null;
}
