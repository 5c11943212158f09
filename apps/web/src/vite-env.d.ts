/// <reference types="vite/client" />

declare module '*.json?compiled' {
  const messages: import('@sheaf/messages').CompiledCatalogue;
  export default messages;
}

declare module '*.json?compiled&later' {
  const messages: import('@sheaf/messages').CompiledCatalogue;
  export default messages;
}
