/** Variables that only the runner gets: the address of the service, and the credential for it. */
const NOT_FOR_CHILDREN = /^(SERVICE|SVC)_/;

/**
 * The environment of a replica: the runner's, without the runner's own variables; then the configuration's; then the
 * replica's identity. Pure.
 *
 * @param secret is removed from any variable
 */
export function childEnvironment(
  inherited: NodeJS.ProcessEnv,
  secret: string,
  configured: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
): NodeJS.ProcessEnv {
  const passedOn = Object.entries(inherited).filter(
    ([name, value]) => !NOT_FOR_CHILDREN.test(name) && !(secret !== '' && value?.includes(secret)),
  );
  const told = Object.entries(own).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...passedOn, ...Object.entries(configured), ...told]);
}
