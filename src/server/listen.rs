//! The socket that connections come in by.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// How many connections may wait to be accepted; the system may allow fewer (on Linux
/// `net.core.somaxconn`, 4,096 since 5.4). Whoever finds no room asks again a second later, so
/// there is room for what a burst brings while the processors have other work.
const BACKLOG: u32 = 4_096;

/// Listens on `address`, which may have been in use a moment ago.
///
/// # Errors
/// What the system says.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Windows it would let others take the address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
