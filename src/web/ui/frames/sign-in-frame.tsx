import { SignInForm } from '../components/sign-in-form.js';
import { EntranceCard } from '../pages/sign-in/entrance.js';
import { SignUpOffer } from '../pages/sign-in/sign-in-page.js';

/** The page of the sign-in without its scripts. It takes no input, which would be lost when the page replaces it. */
export function SignInFrame() {
  return (
    <EntranceCard
      title="Sign in"
      footer={
        <span inert>
          <SignUpOffer search="" />
        </span>
      }
    >
      <div inert>
        <SignInForm onSignedIn={() => undefined} />
      </div>
    </EntranceCard>
  );
}
