// The build puts styles into a file of their own.
declare module '*.css'
