import { useCall } from '../../interface/use-call.ts';
import { knowsPasskeys } from '../../session/passkey.ts';
import { useSession } from '../../session/session.tsx';

interface ProofKinds {
  readonly hasPassword: boolean;
  /** Of an authenticator app, or a recovery code. */
  readonly hasCode: boolean;
  readonly hasPasskey: boolean;
}

/** What the user can prove himself with. */
export const useProofKinds = (): ProofKinds => {
  const { me } = useSession();
  const { data } = useCall('get /api/auth/mfa', {}); // a service without second factors answers 404
  const proven = data?.devices.filter(({ enabled }) => enabled) ?? [];
  return {
    hasPassword: me?.auth_method === 'local' || me?.auth_method === 'ldap',
    hasCode: proven.length > 0,
    hasPasskey: proven.some(({ type }) => type === 'webauthn') && knowsPasskeys(),
  };
};
