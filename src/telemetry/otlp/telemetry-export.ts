import { InvalidError } from '../../errors/domain-error.js';
import type { Stray } from '../entry-references.js';
import { plausibleTime } from '../entry-reader.js';
import { MAXIMUM_ENTRIES, type Submission, type SubmittedEntry } from '../submission.js';
import type { KeyValue, Resource } from './generated/otlp_pb.js';

/** The attributes that name a deployment and a run of the agent. */
const DEPLOYMENT_ATTRIBUTE = 'agent_control_plane.deployment_id';
const RUN_ATTRIBUTE = 'agent_control_plane.run_id';

/**
 * Maximum size of the metadata of all entries of one request, in bytes of JSON. Each entry stores its resource, which
 * the request contains only once: 1,000 records with a resource of 15 KiB would be 15 MB in the table.
 */
const MAXIMUM_METADATA_BYTES = 4 * 1024 * 1024;

const NANOSECONDS_IN_A_MILLISECOND = 1_000_000n;

export interface ExportedEntry extends SubmittedEntry {
  /** Number of log records, data points or spans of the export in this entry. */
  readonly size: number;
}

export interface TelemetryExport<Entry extends ExportedEntry> extends Submission<Entry> {
  readonly rejected: Rejected;
  /** True if every entry has its own time, so that equal bytes mean the same entries, sent again. */
  readonly isDated: boolean;
}

export interface Rejected {
  readonly count: number;
  /** The first reason; empty if nothing was left out. */
  readonly reason: string;
}

/** Log records, data points or spans that were not stored, as OTLP reports them; undefined if all were. */
export interface PartialSuccess {
  readonly rejected: bigint;
  readonly errorMessage: string;
}

/** @param strays entries that were left out because they refer to a deployment or a run of another agent */
export function partialSuccessOf(
  { rejected }: TelemetryExport<ExportedEntry>,
  strays: readonly Stray<ExportedEntry>[],
): PartialSuccess | undefined {
  const count = strays.reduce((sum, { entry }) => sum + entry.size, rejected.count);
  const reasons = [rejected.reason, ...strays.slice(0, 1).map(({ message }) => message)].filter(
    (reason) => reason !== '',
  );
  if (count === 0) return undefined;
  return { rejected: BigInt(count), errorMessage: `${count} not stored: ${reasons[0]}` };
}

/** Collects the entries of one export, and checks the limits of a request. */
export class ExportCollector<Entry extends ExportedEntry> {
  private readonly entries: Entry[] = [];
  private metadataBytes = 0;
  private rejectedCount = 0;
  private firstReason = '';
  private isDated = true;

  /** @param what name of the entries in messages: `rows of metrics` */
  constructor(
    private readonly what: string,
    private readonly receivedAt: Date,
    private readonly maximum = MAXIMUM_ENTRIES,
    private readonly aheadMs?: number,
  ) {}

  /**
   * Checks the size of metadata before it is built.
   *
   * @throws InvalidError past the limits of a request
   */
  reserve(metadataBytes: number): void {
    this.metadataBytes += metadataBytes;
    if (this.metadataBytes > MAXIMUM_METADATA_BYTES) {
      throw InvalidError.of(
        null,
        'too_long',
        `The ${this.what} must be at most ${MAXIMUM_METADATA_BYTES} bytes with their resource and scope: send fewer ` +
          'at a time',
      );
    }
  }

  /** @throws InvalidError past the limits of a request */
  add(entry: Entry): void {
    this.entries.push(entry);
    if (this.entries.length > this.maximum) {
      throw InvalidError.of(
        null,
        'too_long',
        `An export must have at most ${this.maximum} ${this.what}: lower the exporter's batch size`,
      );
    }
  }

  reject(count: number, reason: string): void {
    this.rejectedCount += count;
    this.firstReason ||= reason;
  }

  /** The first of these times that is set, in nanoseconds since 1970; see {@link plausibleTime}. */
  timeOf(...nanoseconds: readonly bigint[]): Date {
    const told = nanoseconds.find((time) => time !== 0n);
    if (told === undefined) this.isDated = false;
    const date = told === undefined ? null : new Date(Number(told / NANOSECONDS_IN_A_MILLISECOND));
    return plausibleTime(date, this.receivedAt, this.aheadMs);
  }

  result(): TelemetryExport<Entry> {
    const { entries, isDated, rejectedCount: count, firstReason: reason } = this;
    return { agentIds: new Set(), entries, isDated, rejected: { count, reason } };
  }
}

/** The deployment id in a resource, which need not exist; null if there is none. */
export function deploymentIdOf(resource: Resource | undefined): string | null {
  return idIn(DEPLOYMENT_ATTRIBUTE, resource?.attributes);
}

/**
 * The run id in the attributes of a log record or a span, or else of its resource, which need not exist; null if there is none. One
 * process may write for several runs.
 */
export function runIdOf(resource: Resource | undefined, attributes: readonly KeyValue[] = []): string | null {
  return idIn(RUN_ATTRIBUTE, attributes) ?? idIn(RUN_ATTRIBUTE, resource?.attributes);
}

function idIn(name: string, attributes: readonly KeyValue[] | undefined): string | null {
  const named = attributes?.find(({ key }) => key === name)?.value?.value;
  if (named === undefined) return null;
  return named.case === 'stringValue' ? named.value.toLowerCase() : '';
}
