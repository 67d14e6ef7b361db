import { takeViolations } from './violations.js';

// for Jest's `setupFilesAfterEnv`: also what a test swallowed, or what came from where nobody can throw
function report(): void {
  const [first] = takeViolations();
  if (first) throw first;
}

afterEach(report);
afterAll(report);
