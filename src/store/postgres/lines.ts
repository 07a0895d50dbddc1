// The sockets of the pools. A line that falls silent for good, as where a firewall forgets it, ends neither here nor there,
// and a unit that waits for its answer would wait for ever, with all that waits behind it.
import { Socket } from 'node:net'

export interface Lines {
  /** For the driver: the socket of a connection that is about to be made. */
  open(): Socket
  /**
   * The server seems not to answer. Call what this answers once it is heard again: connections that have said nothing in
   * between are given up, and whoever waits for them gets an error.
   */
  doubt(): () => void
}

export function openLines(): Lines {
  const sockets = new Set<Socket>()
  return {
    open() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    doubt() {
      const heard = new Map([...sockets].map((socket) => [socket, socket.bytesRead]))
      return () => {
        for (const [socket, bytes] of heard) if (socket.bytesRead === bytes) socket.destroy()
      }
    },
  }
}
