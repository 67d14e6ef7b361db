import { memo } from 'react';
import { Link } from 'react-router';
import type { LogChunk, LogRow } from './log-buffer.js';
import { LogText } from './log-text.js';
import classes from './log-viewer.module.css';
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

export const LogChunkLines = memo(function LogChunkLines({ chunk, options, markedId }: ChunkProps) {
  return (
    <div className={classes.chunk}>
      {chunk.rows.map((row) => (
        <Line key={row.id} row={row} options={options} isMarked={row.id === markedId} />
      ))}
    </div>
  );
});

interface LineProps {
  readonly row: LogRow;
  readonly options: LineOptions;
  readonly isMarked: boolean;
}

function Line({ row, options: { searched, agentNames }, isMarked }: LineProps) {
  const at = new Date(row.timestamp);
  return (
    <div className={classes.line} data-level={row.level} data-is-marked={isMarked}>
      <time dateTime={row.timestamp} title={exactTime(at)}>
        {momentOfLine(at, new Date())}
      </time>
      <span className={classes.level}>{row.level}</span>
      {agentNames && (
        <Link className={classes.agent} to={`/agents/${row.agent_id}?tab=logs`} title="Show the agent's log">
          {row.agent_name ?? agentNames.get(row.agent_id) ?? `agent ${shortId(row.agent_id)}`}
        </Link>
      )}
      <span className={classes.message}>
        <LogText text={row.message} searched={searched} />
        {row.metadata && Object.keys(row.metadata).length > 0 && (
          <details>
            <summary aria-label="Details">{'{…}'}</summary>
            <pre>{JSON.stringify(row.metadata, null, 2)}</pre>
          </details>
        )}
      </span>
    </div>
  );
}
