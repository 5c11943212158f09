import type { ReactNode } from 'react';
import { FilingScreen } from './filing-screen.tsx';

/** Who documents are from. */
const Correspondents = (): ReactNode => <FilingScreen kind="correspondent" path="/correspondents" />;
export default Correspondents;
