"""Makes the certificates of this folder anew: `python make.py`, with the package cryptography.

They protect nothing: their keys are public. Those of `expired` ended in 2020, the others end in 2125.
"""

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

FOLDER = Path(__file__).parent
BEGIN, END = datetime.datetime(2019, 1, 1), datetime.datetime(2125, 1, 1)


def write(name, certificate, key=None):
    (FOLDER / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    if key is not None:
        form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        (FOLDER / f"{name}.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))


def builder(name, issuer, key, end):
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"ferroflow test {n}")]) for n in (name, issuer)]
    made = x509.CertificateBuilder().subject_name(names[0]).issuer_name(names[1]).public_key(key.public_key())
    return made.serial_number(x509.random_serial_number()).not_valid_before(BEGIN).not_valid_after(end)


def authority(name):
    key = ec.generate_private_key(ec.SECP256R1())
    made = builder(name, name, key, END).add_extension(x509.BasicConstraints(True, 0), critical=True)
    write(name, made.sign(key, hashes.SHA256()))
    return name, key


def task(name, by, hosts, end=END):
    key = ec.generate_private_key(ec.SECP256R1())
    made = builder(name, by[0], key, end).add_extension(x509.SubjectAlternativeName(hosts), critical=False)
    made = made.add_extension(x509.BasicConstraints(False, None), critical=True)
    write(name, made.sign(by[1], hashes.SHA256()), key)


HERE = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
right, other = authority("authority"), authority("other_authority")
task("task", right, HERE)
task("other_task", other, HERE)
task("expired", right, HERE, datetime.datetime(2020, 1, 1))
task("elsewhere", right, [x509.DNSName("elsewhere.example")])
