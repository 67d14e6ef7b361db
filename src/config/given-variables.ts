/** The environment of this process, or another one, without empty variables: that counts as absent. */
export function givenVariables(
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''),
  );
}
