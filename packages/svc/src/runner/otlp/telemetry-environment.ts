/** The identity of a process, among its variables. */
export interface ProcessIdentity {
  readonly DEPLOYMENT_ID?: string | undefined;
  readonly REPLICA_INDEX?: string | undefined;
  readonly RUN_ID?: string | undefined;
}

/**
 * Adds the variables that make a program with an SDK of OpenTelemetry send to the relay. What is set already stays: a program
 * that sends elsewhere continues to do so. Pure.
 *
 * @param endpoint of the relay
 */
export function telemetryEnvironment(
  environment: NodeJS.ProcessEnv,
  endpoint: string,
  identity: ProcessIdentity,
): NodeJS.ProcessEnv {
  return {
    ...environment,
    ...exporterVariables(environment, endpoint),
    OTEL_RESOURCE_ATTRIBUTES: resourceAttributes(environment.OTEL_RESOURCE_ATTRIBUTES, identity),
  };
}

function exporterVariables(environment: NodeJS.ProcessEnv, endpoint: string): NodeJS.ProcessEnv {
  // to an SDK an empty variable is one that is not set
  const protocol = environment.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  // a gRPC exporter could not send there, and would log an error for each attempt
  if (environment.OTEL_EXPORTER_OTLP_ENDPOINT || protocol === 'grpc') return {};
  return { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
}

/** The attributes that are set, and those of the process that are not. */
function resourceAttributes(present = '', identity: ProcessIdentity): string {
  const { DEPLOYMENT_ID, REPLICA_INDEX, RUN_ID } = identity;
  const own = {
    'agent_control_plane.deployment_id': DEPLOYMENT_ID,
    'agent_control_plane.replica': REPLICA_INDEX,
    'agent_control_plane.run_id': RUN_ID,
  };
  const pairs = present.split(',').filter((pair) => pair.trim() !== '');
  const names = new Set(pairs.map((pair) => pair.split('=', 1)[0]!.trim()));
  const added = Object.entries(own).flatMap(([name, value]) =>
    value === undefined || names.has(name) ? [] : [`${name}=${value}`],
  );
  return [...pairs, ...added].join(',');
}
