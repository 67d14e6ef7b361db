/** Variables of the runner alone: the address of the service, and the credential for it. */
const NOT_FOR_CHILDREN = /^(SERVICE|SVC)_/;

/**
 * The environment of a replica: the runner's, but for what is the runner's own; then the configuration's; then what
 * the replica is told about itself. Pure.
 *
 * @param secret is left out under whatever name it stands
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
