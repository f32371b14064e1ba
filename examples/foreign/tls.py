"""Ends TLS in front of a plain subscriber: python3 tls.py CERT KEY LISTEN_PORT PLAIN_PORT"""
import asyncio
import ssl
import sys

certificate, key, listen, plain = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def serve(reader, writer):
    inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", plain)
    await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(serve, "127.0.0.1", listen, ssl=context)
    await server.serve_forever()


asyncio.run(main())
