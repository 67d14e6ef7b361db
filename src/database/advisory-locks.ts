/** The periodic jobs, each with the lock that restricts it to one instance at a time. */
export const JOB_LOCKS = {
  idempotencyCleanup: 7_316_002,
  monitor: 7_316_004,
  removalPurge: 7_316_005,
  telemetryRetention: 7_316_006,
  historyRetention: 7_316_007,
  webhookPurge: 7_316_008,
  telemetryRowRetention: 7_316_009,
  deliveryRetention: 7_316_010,
  apiKeyRetention: 7_316_011,
  auditRetention: 7_316_012,
  sessionRetention: 7_316_013,
  projectPurge: 7_316_014,
  accountErasure: 7_316_021,
  runs: 7_316_015,
  runRetention: 7_316_016,
  usageRetention: 7_316_017,
  eventNumbers: 7_316_018,
  usageSeriesRetention: 7_316_019,
  uncountedUsage: 7_316_020,
  schedules: 7_316_030,
  pauses: 7_316_040,
  pauseRetention: 7_316_041,
  budgets: 7_316_050,
  budgetRetention: 7_316_051,
  toolLoops: 7_316_060,
  toolCallRetention: 7_316_061,
  approvals: 7_316_070,
  approvalRetention: 7_316_071,
  auditChain: 7_316_080,
  quotaRetention: 7_316_090,
  configRetention: 7_316_091,
  ownTelemetryRetention: 7_316_092,
  ownRunRetention: 7_316_093,
  agentsOnline: 7_316_100,
} as const;

export type JobName = keyof typeof JOB_LOCKS;

/**
 * The advisory locks of the service's instances, all in one place so that no two share a number. The numbers have no
 * meaning, but must not change while instances of two versions run together.
 */
export const ADVISORY_LOCKS = {
  /** Schema migrations, locked before any other work. */
  migration: 7_316_001,
  /** Registrations that may create the first operator. */
  firstOperator: 7_316_003,
  ...JOB_LOCKS,
} as const;
