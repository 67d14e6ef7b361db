import { telemetryEnvironment } from './telemetry-environment.js';

const ENDPOINT = 'http://127.0.0.1:4000/token';
const REPLICA = { DEPLOYMENT_ID: 'd', REPLICA_INDEX: '2' };

describe('The environment of a process that may speak OpenTelemetry', () => {
  it('names the relay, a protocol that it takes, and the process', () => {
    expect(telemetryEnvironment({ PATH: '/bin' }, ENDPOINT, { ...REPLICA, RUN_ID: 'r' })).toEqual({
      PATH: '/bin',
      OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_RESOURCE_ATTRIBUTES:
        'agent_control_plane.deployment_id=d,agent_control_plane.replica=2,agent_control_plane.run_id=r',
    });
  });

  it('names no run for the process of a replica', () => {
    const { OTEL_RESOURCE_ATTRIBUTES } = telemetryEnvironment({}, ENDPOINT, REPLICA);
    expect(OTEL_RESOURCE_ATTRIBUTES).toBe(
      'agent_control_plane.deployment_id=d,agent_control_plane.replica=2',
    );
  });

  it('keeps an endpoint and a protocol that are set', () => {
    const own = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    expect(telemetryEnvironment(own, ENDPOINT, REPLICA)).toMatchObject(own);
    expect(telemetryEnvironment(own, ENDPOINT, REPLICA)).not.toHaveProperty('OTEL_EXPORTER_OTLP_PROTOCOL');
    const json = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    expect(telemetryEnvironment(json, ENDPOINT, REPLICA)).toMatchObject({
      ...json,
      OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
    });
  });

  it('has no endpoint for a program that speaks gRPC, which could not send there', () => {
    const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(telemetryEnvironment(grpc, ENDPOINT, REPLICA)).not.toHaveProperty('OTEL_EXPORTER_OTLP_ENDPOINT');
  });

  it('takes an empty variable for one that is not set, as an SDK does', () => {
    const empty = {
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      OTEL_RESOURCE_ATTRIBUTES: '',
    };
    expect(telemetryEnvironment(empty, ENDPOINT, REPLICA)).toEqual(
      telemetryEnvironment({}, ENDPOINT, REPLICA),
    );
  });

  it('keeps attributes that are set, and adds the missing ones of the process', () => {
    const present = 'service.name=shop,agent_control_plane.deployment_id=other';
    const { OTEL_RESOURCE_ATTRIBUTES } = telemetryEnvironment(
      { OTEL_RESOURCE_ATTRIBUTES: present },
      ENDPOINT,
      REPLICA,
    );
    expect(OTEL_RESOURCE_ATTRIBUTES).toBe(`${present},agent_control_plane.replica=2`);
  });
});
