// What checks a password without signing anybody in, without the sign-in methods and their libraries.
export { addressBlock } from './client.ts';
export { hashPassword, isImportedHash, verifyPassword } from './password.ts';
