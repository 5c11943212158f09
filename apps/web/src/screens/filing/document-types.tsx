import type { ReactNode } from 'react';
import { FilingScreen } from './filing-screen.tsx';

/** What documents are. */
const DocumentTypes = (): ReactNode => <FilingScreen kind="document_type" path="/document-types" />;
export default DocumentTypes;
