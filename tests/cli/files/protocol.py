"""What Microsoft's documentation of Azure Files' REST API says, asked of a running server: protocol.py CONNECTION-STRING."""
import sys
import unittest

from rest import Account


class Protocol(unittest.TestCase):
    def setUp(self):
        self.account = Account(CONNECTION)
        self.addCleanup(self.account.connection.close)

    def is_refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer)

    def is_done(self, answer, status):
        self.assertEqual((answer.status, answer.code), (status, None), answer)
        return answer

    def test_both_kinds_of_signature_are_taken(self):
        for is_lite in (False, True):
            self.is_done(self.account("GET", "", {"comp": "list"}, is_lite=is_lite), 200)


if __name__ == "__main__":
    CONNECTION = sys.argv.pop(1)
    unittest.main(verbosity=0)
