import { memo } from 'react';
import { Link } from 'react-router';
import { equalRows } from './equal-rows.js';
import type { LogChunk, LogRow } from './log-buffer.js';
import { fieldsText } from './log-fields.js';
import { LogText } from './log-text.js';
import classes from './log-viewer.module.css';
import { middleCut } from './middle-cut.js';
import { exactTime, momentOfLine } from './relative-time.js';
import { shortId } from './short-id.js';

/** Options for the appearance of lines. */
export interface LineOptions {
  /** Text to mark; may be empty. */
  readonly searched: string;
  /** Names of agents by id, for lines without one in a list of several agents; null in a list of one agent. */
  readonly agentNames: ReadonlyMap<string, string> | null;
}

interface ChunkProps {
  readonly chunk: LogChunk;
  readonly options: LineOptions;
  /** Line that is marked, if it is in the chunk. */
  readonly markedId: string | null;
}

/** Letters that the column of agents has room for. */
const MOST_OF_A_NAME = 18;
/** Letters of metadata next to its message; the rest is in the details. */
const MOST_OF_FIELDS = 300;

/** Lines of a chunk, equal ones in a row once. Those in two chunks are two, so that a full chunk is never rendered again. */
export const LogChunkLines = memo(function LogChunkLines({ chunk, options, markedId }: ChunkProps) {
  return (
    <div className={classes.chunk}>
      {equalRows(chunk.rows).map((rows) => (
        <Line
          key={rows[0]!.id}
          rows={rows}
          options={options}
          isMarked={markedId !== null && rows.some(({ id }) => id === markedId)}
        />
      ))}
    </div>
  );
});

interface LineProps {
  /** Equal lines, oldest first. */
  readonly rows: readonly LogRow[];
  readonly options: LineOptions;
  readonly isMarked: boolean;
}

function Line({ rows, options: { searched, agentNames }, isMarked }: LineProps) {
  const row = rows[0]!;
  const at = new Date(row.timestamp);
  return (
    <div className={classes.line} data-level={row.level} data-is-marked={isMarked}>
      <time dateTime={row.timestamp} title={exactTime(at)}>
        {momentOfLine(at, new Date())}
      </time>
      <span className={classes.level}>{row.level}</span>
      {agentNames && <AgentName row={row} agentNames={agentNames} />}
      <span className={classes.message}>
        <LogText text={row.message} searched={searched} />
        {rows.length > 1 && <Count rows={rows} />}
        {row.metadata && <Fields metadata={row.metadata} searched={searched} />}
      </span>
    </div>
  );
}

interface AgentNameProps {
  readonly row: LogRow;
  readonly agentNames: ReadonlyMap<string, string>;
}

function AgentName({ row, agentNames }: AgentNameProps) {
  const name = row.agent_name ?? agentNames.get(row.agent_id) ?? `agent ${shortId(row.agent_id)}`;
  const cut = middleCut(name, MOST_OF_A_NAME);
  return (
    <Link className={classes.agent} to={`/agents/${row.agent_id}?tab=logs`} title={`Show the log of ${name}`}>
      {cut === name ? (
        name
      ) : (
        <>
          <span aria-hidden>{cut}</span>
          <span className="visually-hidden">{name}</span>
        </>
      )}
    </Link>
  );
}

/** How many lines are equal, and when the last one was logged. */
function Count({ rows }: { readonly rows: readonly LogRow[] }) {
  const until = momentOfLine(new Date(rows.at(-1)!.timestamp), new Date());
  return (
    <span className={classes.count} title={`${rows.length} equal lines, until ${until}`}>
      ×{rows.length}
      <span className="visually-hidden"> equal lines, until {until}</span>
    </span>
  );
}

interface FieldsProps {
  readonly metadata: NonNullable<LogRow['metadata']>;
  readonly searched: string;
}

function Fields({ metadata, searched }: FieldsProps) {
  const text = fieldsText(metadata);
  if (text === '') return null;
  const isWhole = text.length <= MOST_OF_FIELDS;
  return (
    <span className={classes.fields}>
      <LogText text={isWhole ? text : `${text.slice(0, MOST_OF_FIELDS)}…`} searched={searched} />
      {!isWhole && (
        <details>
          <summary aria-label="Details">{'{…}'}</summary>
          <pre>{JSON.stringify(metadata, null, 2)}</pre>
        </details>
      )}
    </span>
  );
}
