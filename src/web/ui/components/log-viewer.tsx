import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useMemo, useState } from 'react';
import type { LiveSource } from '../api/live.js';
import { showFailure } from './announce.js';
import { downloadLog } from './log-download.js';
import type { LogRow } from './log-buffer.js';
import {
  isFiltered,
  isOpenEnded,
  type LogFilter,
  logQuery,
  type LogQuery,
  useLogFilter,
} from './log-filter.js';
import { type LogSource, useLogHistory } from './log-history.js';
import { LogLines } from './log-lines.js';
import { LogToolbar, type LogView } from './log-toolbar.js';
import classes from './log-viewer.module.css';
import { useHeightToEnd } from './use-height-to-end.js';

export interface LogPaths {
  readonly historyPath: string;
  /** Null: no single stream has these lines. */
  readonly stream: LiveSource<LogRow> | null;
  /** True: no more lines will come. */
  readonly isEnded?: boolean;
}

export interface LogViewerProps {
  /** Paths of the list and the stream, with the query. */
  readonly pathsOf: (query: LogQuery, filter: LogFilter) => LogPaths;
  /** Names of agents by id, for the lines of a stream of several agents. */
  readonly agentNames?: ReadonlyMap<string, string>;
  /** Further filters. */
  readonly children?: ReactNode;
}

/** Interval in which the newest lines are read without a stream; milliseconds. */
const POLL_MS = 5_000;

/** Log viewer. The service filters, so that a search also finds lines that are not loaded. */
export function LogViewer({ pathsOf, agentNames, children }: LogViewerProps) {
  const [filter, change] = useLogFilter();
  const [isWrapped, setWrapped] = useLocalStorage({
    key: 'log-wrap',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const [{ isPaused, isExpanded }, setState] = useState({ isPaused: false, isExpanded: false });
  const [isDownloading, setDownloading] = useState(false);
  const box = useHeightToEnd();
  // computed once for each filter: a range that ends now begins when it is chosen
  const query = useMemo(() => logQuery(filter, Date.now()), [filter]);
  const paths = pathsOf(query, filter);
  const isLive = isOpenEnded(filter);
  const source: LogSource = {
    historyPath: paths.historyPath,
    stream: isLive ? paths.stream : null,
    ...(isLive && paths.stream === null && paths.isEnded !== true && { pollMs: POLL_MS }),
    ...(filter.at !== null && { reachBack: filter.at }),
  };
  const changeView = ({ isWrapped: wrap, ...rest }: Partial<LogView>) => {
    if (wrap !== undefined) setWrapped(wrap);
    setState((now) => ({ ...now, ...rest }));
  };
  const download = async () => {
    setDownloading(true);
    try {
      await downloadLog(paths.historyPath, agentNames);
    } catch (error) {
      showFailure('The log was not downloaded', error);
    } finally {
      setDownloading(false);
    }
  };
  return (
    <section ref={box} className={classes.viewer} data-is-expanded={isExpanded} aria-label="Logs">
      <LogToolbar
        filter={filter}
        onFilter={change}
        view={{ isWrapped, isPaused, isExpanded }}
        onView={changeView}
        onDownload={() => void download()}
        isDownloading={isDownloading}
      >
        {children}
      </LogToolbar>
      {/* Another filter is another log. A stream that is known later belongs to the same one. */}
      <Followed
        key={`${source.historyPath} ${filter.at}`}
        source={source}
        isPaused={isPaused}
        isFiltered={isFiltered(filter)}
        isWrapped={isWrapped}
        searched={filter.q ?? ''}
        agentNames={agentNames ?? null}
        at={filter.at}
      />
    </section>
  );
}

interface FollowedProps {
  readonly source: LogSource;
  readonly isPaused: boolean;
  readonly isFiltered: boolean;
  readonly isWrapped: boolean;
  readonly searched: string;
  readonly agentNames: ReadonlyMap<string, string> | null;
  readonly at: string | null;
}

function Followed({ source, searched, agentNames, ...shown }: FollowedProps) {
  const history = useLogHistory(source, shown.isPaused);
  const options = useMemo(() => ({ searched, agentNames }), [searched, agentNames]);
  return <LogLines history={history} options={options} {...shown} />;
}
