import type { DeploymentStatus } from './deployment-lifecycle.js';
import { healthByHour, type PastStep, type PresentDeployment } from './health-hours.js';

const present = (id: string, status: DeploymentStatus, more: Partial<PresentDeployment> = {}) => ({
  id,
  status,
  failureCause: null,
  restartPace: null,
  isHeld: false,
  ...more,
});

type Row = [id: string, hour: number, eventType: string, from: DeploymentStatus | null, to: DeploymentStatus];

const steps = (...rows: Row[]): PastStep[] =>
  rows.map(([deploymentId, hour, eventType, previousStatus, status]) => ({
    deploymentId,
    hour,
    eventType,
    previousStatus,
    status,
  }));

describe('The health of the last hours', () => {
  it('is that of now where no step was', () => {
    const of = (deployment: PresentDeployment) => healthByHour(2, [deployment], []);
    expect(healthByHour(2, [], [])).toEqual(['idle', 'idle']);
    expect(of(present('a', 'ready'))).toEqual(['healthy', 'healthy']);
    expect(of(present('a', 'failed', { failureCause: 'heartbeat_lost' }))).toEqual(['offline', 'offline']);
    expect(of(present('a', 'failed', { failureCause: 'reported' }))).toEqual(['failing', 'failing']);
    expect(of(present('a', 'ready', { restartPace: 'crash_looping' }))).toEqual(['failing', 'failing']);
    expect(of(present('a', 'running', { isHeld: true }))).toEqual(['paused', 'paused']);
    expect(of(present('a', 'killed'))).toEqual(['idle', 'idle']);
  });

  it('is the worst of each hour, and continues after it', () => {
    const history = steps(
      ['a', 1, 'deploy', null, 'deploying'],
      ['a', 1, 'running', 'deploying', 'running'],
      ['a', 1, 'ready', 'running', 'ready'],
      ['a', 3, 'heartbeat_lost', 'ready', 'failed'],
      ['a', 5, 'recovered', 'failed', 'running'],
      ['a', 5, 'ready', 'running', 'ready'],
      ['a', 7, 'stop', 'ready', 'stopped'],
    );
    expect(healthByHour(9, [present('a', 'stopped')], history)).toEqual([
      'idle',
      'progressing',
      'healthy',
      'offline',
      'offline',
      'offline',
      'healthy',
      'healthy',
      'idle',
    ]);
  });

  it('before the first step follows from that step', () => {
    const before = (...row: Row) => healthByHour(2, [present('a', row[4])], steps(row))[0];
    expect(before('a', 1, 'recovered', 'failed', 'running')).toBe('offline');
    expect(before('a', 1, 'stabilised', 'ready', 'ready')).toBe('failing');
    expect(before('a', 1, 'resumed', 'running', 'running')).toBe('paused');
    expect(before('a', 1, 'restart', 'stopped', 'deploying')).toBe('idle');
  });

  it('stays through steps that keep the status, until one ends it', () => {
    const history = steps(
      ['a', 0, 'crash_looping', 'ready', 'ready'],
      ['a', 1, 'scale', 'ready', 'ready'],
      ['a', 1, 'progress', 'ready', 'ready'],
      ['a', 2, 'stabilised', 'ready', 'ready'],
    );
    expect(healthByHour(4, [present('a', 'ready')], history)).toEqual([
      'failing',
      'failing',
      'failing',
      'healthy',
    ]);
  });

  it('has a failure in its hour though another deployment runs, and later only where none is active', () => {
    const failure = steps(['b', 1, 'failed', 'ready', 'failed']);
    const failed = present('b', 'failed');
    expect(healthByHour(3, [present('a', 'ready'), failed], failure)).toEqual([
      'healthy',
      'failing',
      'healthy',
    ]);
    expect(healthByHour(3, [present('a', 'stopped'), failed], failure)).toEqual([
      'healthy',
      'failing',
      'failing',
    ]);
    expect(healthByHour(3, [failed, present('c', 'stopped')], failure)).toEqual([
      'healthy',
      'failing',
      'idle',
    ]);
  });

  it('has the steps of removed deployments', () => {
    const history = steps(['b', 1, 'failed', 'ready', 'failed'], ['b', 1, 'kill', 'failed', 'killed']);
    expect(healthByHour(3, [present('a', 'stopped')], history)).toEqual(['healthy', 'failing', 'idle']);
  });
});
