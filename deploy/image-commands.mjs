// Entry point of the image: runs one of its programs in this process, so that signals reach it.
const PROGRAMS = {
  api: 'dist/service/main.js',
  web: 'dist/src/web/main.js',
  migrate: 'dist/src/migrate.js',
  audit: 'dist/src/audit/main.js',
  reseal: 'dist/src/reseal.js',
  doctor: 'dist/src/doctor.js',
  'remove-factors': 'dist/src/remove-factors.js',
};

const [command] = process.argv.splice(2, 1);
if (Object.hasOwn(PROGRAMS, command)) {
  await import(new URL(`../${PROGRAMS[command]}`, import.meta.url));
} else {
  process.stderr.write(`No such command: ${command}. The image has: ${Object.keys(PROGRAMS).join(', ')}\n`);
  process.exitCode = 2;
}
